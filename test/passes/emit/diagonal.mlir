// RUN: ktir-opt %s --ktir-distribute --ktir-emit | filecheck %s

// A diagonal is a strided view of the table: a step along it is a step along both dimensions. The first loop has one step, at
// the core's row.

// CHECK: func.func @diagonal(%[[T:.*]]: index, %{{.*}}: index) attributes {grid = [2]}
// CHECK-NOT: sizes: [2, 5, 5]
// CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id
// CHECK: %[[V:.*]] = ktdp.construct_memory_view %[[T]], sizes: [2, 5], strides: [320, 65]
// CHECK: ktdp.construct_access_tile %[[V]][%[[CORE]], %c0]
// CHECK-NOT: indirect
func.func @main(%x: tensor<2x5x5xf16>) -> tensor<2x5xf16> {
  %r = plan.kernel "diagonal" split = [2, 1] tile = [1, 5] ins(%t = %x : tensor<2x5x5xf16>) -> (tensor<2x5xf16>) {
    %e = tensor.empty() : tensor<2x5xf16>
    %g = linalg.generic {indexing_maps = [affine_map<(b, i) -> (b, i)>], iterator_types = ["parallel", "parallel"]}
        outs(%e : tensor<2x5xf16>) {
      ^bb0(%o: f16):
        %b = linalg.index 0 : index
        %i = linalg.index 1 : index
        %v = tensor.extract %t[%b, %i, %i] : tensor<2x5x5xf16>
        linalg.yield %v : f16
    } -> tensor<2x5xf16>
    plan.yield %g : tensor<2x5xf16>
  }
  return %r : tensor<2x5xf16>
}
