// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// What may stand between the brackets of an access tile.

#set = affine_set<(d0, d1) : (d0 >= 0, -d0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#order = affine_map<(d0, d1) -> (d0, d1)>

func.func private @pair() -> (index, index)

// CHECK-LABEL: func.func @subscripts
// CHECK-SAME: (%[[V:.*]]: memref<96x64xf16>, %[[I:.*]]: index, %[[J:.*]]: index)
func.func @subscripts(%v: memref<96x64xf16>, %i: index, %j: index) attributes {grid = [4, 8]} {
  // CHECK: %[[A:.*]], %[[B:.*]] = ktdp.get_compute_tile_id
  %id:2 = ktdp.get_compute_tile_id : index, index
  // CHECK: %[[P:.*]]:2 = call @pair
  %pair:2 = func.call @pair() : () -> (index, index)
  // CHECK: %[[V]][%[[I]] + %[[J]], %[[J]] * 2 - %[[I]] + 4]
  %0 = ktdp.construct_access_tile %v[%i + %j, 2 * %j - %i + 4] {
    access_tile_set = #set, access_tile_order = #order} : memref<96x64xf16> -> <1x32xindex>
  // CHECK: %[[V]][(%[[I]] floordiv 64) * 3, %[[I]] mod 64 + (%[[J]] ceildiv 2) * 8]
  %1 = ktdp.construct_access_tile %v[(%i floordiv 64) * 3, %i mod 64 + (%j ceildiv 2) * 8] {
    access_tile_set = #set, access_tile_order = #order} : memref<96x64xf16> -> <1x32xindex>
  // CHECK: %[[V]][-%[[I]], 32]
  %2 = ktdp.construct_access_tile %v[-%i, 2 * (4 + 12)] {
    access_tile_set = #set, access_tile_order = #order} : memref<96x64xf16> -> <1x32xindex>
  // Results of one op are different values.
  // CHECK: %[[V]][%[[A]], %[[B]] * 8 + %[[A]]]
  %3 = ktdp.construct_access_tile %v[%id#0, %id#1 * 8 + %id#0] {
    access_tile_set = #set, access_tile_order = #order} : memref<96x64xf16> -> <1x32xindex>
  // CHECK: %[[V]][%[[P]]#0, %[[P]]#1 * 8 + %[[P]]#0]
  %5 = ktdp.construct_access_tile %v[%pair#0, %pair#1 * 8 + %pair#0] {
    access_tile_set = #set, access_tile_order = #order} : memref<96x64xf16> -> <1x32xindex>
  // CHECK: %[[V]][%[[I]] * symbol(%[[J]]), 0]
  %4 = ktdp.construct_access_tile %v[%i * symbol(%j), 0] {
    access_tile_set = #set, access_tile_order = #order} : memref<96x64xf16> -> <1x32xindex>
  return
}
