// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-debuginfo | ktir-opt | filecheck %s
// RUN: ktir-opt %s --emit-bytecode | ktir-opt | filecheck %s

// Forms that public kernels use – several modules, locations defined after their use, unused
// aliases, names of values that equal those of aliases or of values in a sibling region, elided types.

#unused = affine_map<(d0) -> (d0 + 1)>
#rows = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: func.func @loop
// CHECK-SAME: attributes {grid = [2, 8]}
module {
  func.func @loop(%x_ptr: index loc("x_ptr"), %n: index) attributes {grid = [2, 8]} {
    %id:2 = ktdp.get_compute_tile_id : index, index loc(#where)
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // CHECK: ktdp.construct_memory_view %{{.*}}, sizes: [%{{.*}}, 64], strides: [64, 1]
    %set = ktdp.construct_memory_view %x_ptr,
        sizes : [%n, 64], strides : [64, 1] {
      // a comment between attributes – and not in ASCII
      memory_space = #ktdp.memory_space<global>,
      coordinate_set = #rows
    } : memref<?x64xf16>
    scf.for %i = %c0 to %n step %c1 : index {
      // CHECK: ktdp.construct_access_tile %{{.*}}[%{{.*}} + %core1, 0]
      %t = ktdp.construct_access_tile %set[%i + %id#1, %c0 * 0] {
        access_tile_set = #set, access_tile_order = #order
      } : memref<?x64xf16> -> !ktdp.access_tile<1x64xindex>
      %d = ktdp.load %t : <1x64xindex> -> tensor<1x64xf16>
      // CHECK: ktdp.store %{{.*}}, %{{.*}} : tensor<1x64xf16>, <1x64xindex>
      ktdp.store %d, %t : tensor<1x64xf16>, <1x64xindex>
      scf.yield
    }
    scf.for %i = %c0 to %n step %c1 {
      // CHECK: ktdp.construct_access_tile
      %t = ktdp.construct_access_tile %set[%i, 0] {
        access_tile_set = #set, access_tile_order = #order
      } : memref<?x64xf16> -> !ktdp.access_tile<1x64xindex>
    }
    return
  } loc("a kernel")
}

#where = loc("kernel.py":3:5)

// CHECK-LABEL: func.func @second
module {
  func.func @second() {
    // CHECK: ktdp.get_compute_tile_id : index
    %id = ktdp.get_compute_tile_id : index
    return
  }
}
