// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

#space = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 127 >= 0)>
#order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

// Pages of a table, direct subscripts, and values of the function among the variables.
// CHECK-LABEL: func.func @pages
// CHECK-SAME: (%[[X:.*]]: memref<100x8x64xf16>, %[[T:.*]]: memref<4x32xi32>, %[[ROW:.*]]: index)
// CHECK: ktdp.construct_indirect_access_tile intermediate_variables(%[[B:.*]], %[[H:.*]], %[[K:.*]]) %[[X]]
// CHECK-SAME: [ind(%[[T]][%[[ROW]] + %[[B]], %[[K]] floordiv 64]), (%[[H]]), (%[[K]] mod 64)] {
// CHECK-SAME: : memref<100x8x64xf16>, memref<4x32xi32> -> !ktdp.access_tile<4x8x128xindex>
func.func @pages(%x: memref<100x8x64xf16>, %table: memref<4x32xi32>, %row: index) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables (%b, %h, %t)
      %x[ind(%table[%row + %b, %t floordiv 64]), (%h), (%t mod 64)] {
    variables_space_set = #space, variables_space_order = #order
  } : memref<100x8x64xf16>, memref<4x32xi32> -> !ktdp.access_tile<4x8x128xindex>
  return
}

// Two results of one op stay two values; a variable hides a value of the same name.
// CHECK-LABEL: func.func @names
// CHECK-SAME: (%[[X:.*]]: memref<8x8xf16>, %[[IDX:.*]]: memref<8xi64>, %[[D:.*]]: index)
func.func @names(%x: memref<8x8xf16>, %idx: memref<8xi64>, %d: index) attributes {grid = [2, 2]} {
  // CHECK: %[[A:.*]], %[[B:.*]] = ktdp.get_compute_tile_id
  %id:2 = ktdp.get_compute_tile_id : index, index
  // CHECK: intermediate_variables(%[[V:.*]]) %[[X]][ind(%[[IDX]][%[[A]] + %[[V]]]), (%[[B]])]
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%d)
      %x[ind(%idx[%id#0 + %d]), (%id#1)] {
    variables_space_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>,
    variables_space_order = affine_map<(d0) -> (d0)>
  } : memref<8x8xf16>, memref<8xi64> -> !ktdp.access_tile<4xindex>
  return
}

// CHECK-LABEL: func.func @no_variable
// CHECK: intermediate_variables() %{{.*}}[ind(%{{.*}}[0]), (%{{.*}})] symbols(%{{.*}}) {
func.func @no_variable(%x: memref<8x8xf16>, %idx: memref<8xi64>, %d: index) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables() %x[ind(%idx[0]), (%d)]
      symbols(%d) {
    variables_space_set = affine_set<()[s0] : (s0 - 1 >= 0)>,
    variables_space_order = affine_map<() -> ()>
  } : memref<8x8xf16>, memref<8xi64> -> !ktdp.access_tile<index>
  return
}

// Direct subscripts with an operator outside of their parentheses, or without any.
// CHECK-LABEL: func.func @parentheses
// CHECK: intermediate_variables(%[[P:.*]], %[[L:.*]]) %{{.*}}[((%[[P]] * 3 + %[[L]]) floordiv 4), (%[[L]])]
func.func @parentheses(%x: memref<8x8xf16>) {
  %t = ktdp.construct_indirect_access_tile intermediate_variables(%p, %l)
      %x[(%p * 3 + %l) floordiv 4, %l] {
    variables_space_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>,
    variables_space_order = affine_map<(d0, d1) -> (d0, d1)>
  } : memref<8x8xf16> -> !ktdp.access_tile<4x8xindex>
  return
}
