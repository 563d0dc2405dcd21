// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// A body may read its counters, take scalars and repeat constants; a generator is a compute op of its own.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: sdf.program @masked
func.func @masked(%x: index, %valid: index) {
  %xv = ktdp.construct_memory_view %x, sizes: [8, 64], strides: [64, 1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<8x64xf32>
  %xt = ktdp.construct_access_tile %xv[0, 0] {access_tile_set = #set, access_tile_order = #id}
      : memref<8x64xf32> -> !ktdp.access_tile<8x64xindex>
  %a = ktdp.load %xt : <8x64xindex> -> tensor<8x64xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  // CHECK: sdf.compute vector ins(#sdf.buffer<{{.*}}, 8x64xf32>) scalars(%arg1 : index)
  // CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[VALID:.*]]: index, %{{.*}}: f32):
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.0{{.*}} : f32
  // CHECK-DAG: %[[COLUMN:.*]] = sdf.index 1 : index
  // CHECK: %[[C:.*]] = arith.cmpi slt, %[[COLUMN]], %[[VALID]] : index
  // CHECK-NEXT: %[[S:.*]] = arith.select %[[C]], %[[IN]], %[[ZERO]] : f32
  // CHECK-NEXT: sdf.yield %[[S]] : f32
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %column = linalg.index 1 : index
    %c = arith.cmpi slt, %column, %valid : index
    %s = arith.select %c, %in, %zero : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  // CHECK: sdf.compute vector ins() outs(#sdf.buffer<{{.*}}, 8x64xf32>)
  // CHECK-DAG: %[[I:.*]] = sdf.index 0 : index
  // CHECK-DAG: %[[J:.*]] = sdf.index 1 : index
  // CHECK: arith.addi %[[I]], %[[J]] : index
  %g = tensor.generate {
  ^bb0(%i: index, %j: index):
    %k = arith.addi %i, %j : index
    %l = arith.index_cast %k : index to i32
    %f = arith.sitofp %l : i32 to f32
    tensor.yield %f : f32
  } : tensor<8x64xf32>
  %r = arith.addf %m, %g : tensor<8x64xf32>
  ktdp.store %r, %xt : tensor<8x64xf32>, <8x64xindex>
  return
}
