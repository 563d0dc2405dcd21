// RUN: ktir-opt %s --ktir-distribute --ktir-emit | filecheck %s

// The view is padded to whole blocks, its coordinate set says what is real; two tiles a core become a loop.

// CHECK: module @kernels
// CHECK: func.func @neg(%[[X:.*]]: index, %[[Y:.*]]: index) attributes {grid = [2]}
// CHECK-DAG: ktdp.construct_memory_view %[[X]], sizes: [12, 67], strides: [128, 1] {coordinate_set = [[SET:.*]], memory_space = #ktdp.memory_space<global>} : memref<12x67xf16>
// CHECK-DAG: ktdp.construct_memory_view %[[Y]], sizes: [12, 67], strides: [128, 1]
// CHECK: %[[CORE:.*]] = ktdp.get_compute_tile_id : index
// CHECK: scf.for %[[T:.*]] = %c0 to %c2 step %c1
// CHECK: ktdp.construct_access_tile
// CHECK: ktdp.load {{.*}} -> tensor<3x67xf16>
// CHECK: linalg.generic
// CHECK: ktdp.store
// CHECK: module @host
// CHECK: memref.alloc() {address = 0 : i64, bytes = 2560 : i64, name = "{{.*}}"} : memref<10x67xf16, strided<[128, 1]>>
// CHECK: memref.copy %arg0
// CHECK: memref.extract_aligned_pointer_as_index
// CHECK: call @neg
func.func @main(%x: tensor<10x67xf16>) -> tensor<10x67xf16> {
  %r = plan.kernel "neg" split = [2, 1] tile = [3, 67] ins(%a = %x : tensor<10x67xf16>) -> (tensor<10x67xf16>) {
    %e = tensor.empty() : tensor<10x67xf16>
    %n = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<10x67xf16>) outs(%e : tensor<10x67xf16>) {
      ^bb0(%i: f16, %o: f16):
        %p = arith.negf %i : f16
        linalg.yield %p : f16
    } -> tensor<10x67xf16>
    plan.yield %n : tensor<10x67xf16>
  }
  return %r : tensor<10x67xf16>
}
