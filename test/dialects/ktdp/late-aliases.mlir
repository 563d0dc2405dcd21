// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: cat %s | ktir-opt --mlir-print-debuginfo --mlir-print-local-scope | filecheck %s --check-prefix=LOC
// Aliases are defined where the author liked: after their use, between modules, at the end, in terms of
// later ones, twice, or for nothing.

// CHECK: #[[LAYOUT:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK: #[[SET:.*]] = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>

// CHECK: module {
// CHECK-NEXT: module {
module {
  // CHECK-NEXT: func.func @first() attributes {set = #[[SET]], table = dense<[1, 2]> : tensor<2xi8>}
  // LOC: @first
  func.func @first() attributes {set = #late, table = #table} {
    // LOC-NEXT: arith.constant 0 : index loc("name"("a.mlir":1:2))
    %a = arith.constant 0 : index loc(#where)
    // LOC-NEXT: return loc({{.*}}:[[# @LINE + 1]]:5)
    return
  }
}

#late = affine_set<(d0) : (d0 >= 0, // a comment inside, with a "quote and a #hash
                           -d0 + 7 >= 0)>
#table = dense<[1, 2]>
  : tensor<2xi8>
#where = loc("name"(#there))
#there = loc("a.mlir":1:2)
#unused = affine_map<(d0) -> (d0 floordiv 2)>

// CHECK: module {
module {
  // CHECK-NEXT: func.func private @second(tensor<8xf16>, memref<2xf16, #[[LAYOUT]]>)
  func.func private @second(!tile, memref<2xf16, #layout>)
}
!tile = !element
!element = tensor<8xf16>
#layout = affine_map<(d0) -> (d0 + 1)>
#late = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>
