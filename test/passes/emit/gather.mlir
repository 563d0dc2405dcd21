// RUN: ktir-opt %s --ktir-distribute --ktir-emit | filecheck %s

// Rows of a table at computed coordinates: an indirect access tile. The table is 65 wide; a tile of the second stick reaches
// past it, so the view is padded and its coordinate set says what is real.

// CHECK: func.func @lookup(%[[I:.*]]: index, %[[T:.*]]: index, %{{.*}}: index) attributes {grid = [2]}
// CHECK-DAG: %[[IDS:.*]] = ktdp.construct_memory_view %[[I]], sizes: [4]
// CHECK-DAG: %[[TABLE:.*]] = ktdp.construct_memory_view %[[T]], sizes: [9, 128], strides: [128, 1] {coordinate_set = #[[SET:.*]], memory_space
// CHECK: ktdp.construct_indirect_access_tile intermediate_variables(%[[A:.*]], %[[B:.*]]) %[[TABLE]][ind(%[[IDS]][%[[A]]]), (%{{.*}} + %[[B]])]
// CHECK: ktdp.load
// CHECK: ktdp.store
func.func @main(%i: tensor<4xi64>, %t: tensor<9x65xf16>) -> tensor<4x65xf16> {
  %r = plan.kernel "lookup" split = [1, 2] tile = [4, 64] ins(%ids = %i : tensor<4xi64>, %table = %t : tensor<9x65xf16>) -> (tensor<4x65xf16>) {
    %e = tensor.empty() : tensor<4x65xf16>
    %g = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%ids : tensor<4xi64>) outs(%e : tensor<4x65xf16>) {
      ^bb0(%id: i64, %o: f16):
        %row = arith.index_cast %id : i64 to index
        %column = linalg.index 1 : index
        %v = tensor.extract %table[%row, %column] : tensor<9x65xf16>
        linalg.yield %v : f16
    } -> tensor<4x65xf16>
    plan.yield %g : tensor<4x65xf16>
  }
  return %r : tensor<4x65xf16>
}
