// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s

// The body of a function that kernels call stands in the place of the calls; the function is gone.

#set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>
#id = affine_map<(d0) -> (d0)>

// CHECK-LABEL: sdf.program @kernel
// CHECK: sdf.read #[[B:.*]] from
// CHECK-NEXT: sdf.compute vector
// CHECK: arith.negf
// CHECK: sdf.write
// CHECK-NOT: func.func
func.func @kernel(%x: index) attributes {grid = [1]} {
  %v = ktdp.construct_memory_view %x, sizes: [64], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<64xf16>
  %t = ktdp.construct_access_tile %v[0] {access_tile_set = #set, access_tile_order = #id}
      : memref<64xf16> -> !ktdp.access_tile<64xindex>
  %a = ktdp.load %t : <64xindex> -> tensor<64xf16>
  %b = func.call @negated(%a) : (tensor<64xf16>) -> tensor<64xf16>
  ktdp.store %b, %t : tensor<64xf16>, <64xindex>
  return
}

func.func private @negated(%a: tensor<64xf16>) -> tensor<64xf16> {
  %b = arith.negf %a : tensor<64xf16>
  return %b : tensor<64xf16>
}
