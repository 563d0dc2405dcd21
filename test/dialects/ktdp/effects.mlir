// RUN: ktir-opt %s --cse | filecheck %s

// Views and tiles are pure and merge. A load merges with an equal one unless a store stands between
// them; so does an indirect tile, which reads its index view. A store stays.

#set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
#order = affine_map<(d0) -> (d0)>

// CHECK-LABEL: func.func @effects
// CHECK-COUNT-1: ktdp.construct_memory_view
// CHECK-NOT: ktdp.construct_memory_view
// CHECK: ktdp.construct_indirect_access_tile
// CHECK: ktdp.load
// CHECK-NEXT: ktdp.store
// CHECK-NEXT: ktdp.construct_indirect_access_tile
// CHECK-NEXT: ktdp.load
// CHECK-NEXT: ktdp.store
// CHECK-NEXT: return
func.func @effects(%a: index, %x: memref<8xf16>, %idx: memref<8xi32>) {
  %v = ktdp.construct_memory_view %a, sizes: [8], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  %unused = ktdp.construct_memory_view %a, sizes: [8], strides: [1] {
    coordinate_set = #set, memory_space = #ktdp.memory_space<global>} : memref<8xf16>
  %to = ktdp.construct_access_tile %v[0] {
    access_tile_set = #set, access_tile_order = #order} : memref<8xf16> -> <8xindex>
  %from = ktdp.construct_indirect_access_tile intermediate_variables(%i) %x[ind(%idx[%i])] {
    variables_space_set = #set, variables_space_order = #order
  } : memref<8xf16>, memref<8xi32> -> <8xindex>
  %d = ktdp.load %from : <8xindex> -> tensor<8xf16>
  ktdp.store %d, %to : tensor<8xf16>, <8xindex>
  %again = ktdp.construct_indirect_access_tile intermediate_variables(%i) %x[ind(%idx[%i])] {
    variables_space_set = #set, variables_space_order = #order
  } : memref<8xf16>, memref<8xi32> -> <8xindex>
  %e = ktdp.load %again : <8xindex> -> tensor<8xf16>
  ktdp.store %e, %to : tensor<8xf16>, <8xindex>
  return
}
