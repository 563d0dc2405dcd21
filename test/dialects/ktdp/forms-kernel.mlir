// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt --mlir-print-op-generic %s | ktir-opt | filecheck %s

// Forms of public kernels: views without a set, column-major strides, sets with products, remainders and two
// symbols, tile ids fewer than dimensions of the grid, signed and long indices, a tile that is read and
// written, and ops of other dialects as kernels use them.

// CHECK-LABEL: func.func @forms
#m = affine_map<(d0) -> (d0)>
#tri = affine_set<(d0, d1)[s0, s1] : (d0 >= 0, -d0 + s0 >= 0, d1 - d0 >= 0, -d1 + s1 * 2 >= 0,
    (d0 + d1) mod 2 == 0,
    d0 floordiv 2 >= 0, d0 * s0 - 1 >= 0)>
#id2 = affine_map<(d0, d1) -> (d0, d1)>
func.func @forms(%a: index, %n: index, %m: index, %b: f16) attributes {grid = [4, 1, 1]} {
  %i = ktdp.get_compute_tile_id : index
  // CHECK: ktdp.construct_memory_view %{{.*}}, sizes: [%{{.*}}, %{{.*}}], strides: [1, %{{.*}}]
  %v = ktdp.construct_memory_view %a, sizes: [%n, %m], strides: [1, %n] {
    memory_space = #ktdp.spyre_memory_space<HBM>, coordinate_set =
      affine_set<(d0, d1)[s0, s1] : (d0 >= 0, s0 - d0 - 1 >= 0, d1 >= 0, -d1 + s1 - 1 >= 0)>
  } : memref<?x?xf16>
  // CHECK: [%{{.*}} + 1, %{{.*}} - 1] symbols(%{{.*}}, %{{.*}}) {
  %t = ktdp.construct_access_tile %v[%i + 1, %n - 1] symbols(%n, %m)
      {access_tile_order = #id2, access_tile_set = #tri} : memref<?x?xf16> -> <?x?xindex>
  // CHECK: sizes: [8], strides: [1] {memory_space = #ktdp.memory_space<global>} : memref<8xsi32>
  %ix = ktdp.construct_memory_view %a, sizes: [8], strides: [1] {memory_space = #ktdp.memory_space<global>} : memref<8xsi32>
  %ix64 = ktdp.construct_memory_view %a, sizes: [8], strides: [1] {memory_space = #ktdp.memory_space<global>} : memref<8xi64>
  // CHECK: intermediate_variables(%[[D:.*]]) %{{.*}}[(%[[I:.*]] + %[[D]]), ind(%{{.*}}[%[[I]] + %[[D]]])]
  %it = ktdp.construct_indirect_access_tile intermediate_variables (%d0) %v[(%i + %d0), ind(%ix[%i + %d0])]
      {variables_space_order = #m, variables_space_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>}
      : memref<?x?xf16>, memref<8xsi32> -> <4xindex>
  // CHECK: intermediate_variables(%[[E:.*]]) %{{.*}}[(%[[I]] + %[[E]]), ind(%{{.*}}[%[[I]] + %[[E]]])]
  %it2 = ktdp.construct_indirect_access_tile intermediate_variables(%d0) %v[%i + %d0, ind(%ix64[%i + %d0])]
      {variables_space_order = #m, variables_space_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>}
      : memref<?x?xf16>, memref<8xi64> -> <4xindex>
  %l = ktdp.load %it : <4xindex> -> tensor<4xf16>
  ktdp.store %l, %it : tensor<4xf16>, <4xindex>
  %cst = arith.constant 0xFC00 : f16
  %zero = arith.constant dense<0.0> : tensor<f32>
  %init = tensor.empty() : tensor<f16>
  %r = linalg.reduce { arith.addf } ins(%l : tensor<4xf16>) outs(%init : tensor<f16>) dimensions = [0]
  %r2 = linalg.reduce ins(%l : tensor<4xf16>)
      outs(%init : tensor<f16>) dimensions = [0] (%in: f16, %acc: f16)
      { %s = arith.addf %in, %acc : f16 linalg.yield %s : f16 }
  %x = tensor.empty() : tensor<4x8xf16>
  %y = tensor.empty() : tensor<8x4xf16>
  %acc = arith.constant dense<0.0> : tensor<4x4xf32>
  %mm = linalg.matmul ins(%x, %y : tensor<4x8xf16>, tensor<8x4xf16>)
      outs(%acc : tensor<4x4xf32>) -> tensor<4x4xf32>
  %shape = arith.constant dense<[2, 2]> : tensor<2xindex>
  %rs = tensor.reshape %l(%shape) : (tensor<4xf16>, tensor<2xindex>) -> tensor<2x2xf16>
  %gen = tensor.generate { ^bb0(%q: index): tensor.yield %b : f16 } : tensor<4xf16>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 : index { scf.yield }
  %o = scf.for %k = %c0 to %n step %c1 iter_args(%z = %l) -> tensor<4xf16> { scf.yield %z : tensor<4xf16> }
  %o3:3 = scf.for %k = %c0 to %n step %c1 iter_args(%z = %l, %z2 = %l, %z3 = %b)
      -> (tensor<4xf16>, tensor<4xf16>, f16) { scf.yield %z, %z2, %z3 : tensor<4xf16>, tensor<4xf16>, f16 }
  return
}
