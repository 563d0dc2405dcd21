// RUN: ktir-opt %s --split-input-file --verify-diagnostics

// What is wrong is reported where it stands.
func.func @place(%m: memref<4xf16>, %i: index) {
  // expected-error @below {{access_tile_set has 2 dimensions, but the base 'memref<4xf16>' has rank 1}}
  %t = ktdp.construct_access_tile %m[%i] {access_tile_set = #late, access_tile_order = #order}
      : memref<4xf16> -> <4xindex>
  return
}
#late = affine_set<(d0, d1) : (d0 >= 0, d1 >= 0)>
#order = affine_map<(d0) -> (d0)>

// -----

// Each part has aliases of its own.
// expected-error @below {{undefined symbol alias id 'late'}}
func.func private @other() attributes {a = #late}

// -----

// Two meanings of one name are not sorted out.
func.func private @two() attributes {a = #name, b = #late}
#name = affine_map<(d0) -> (d0)>
// expected-error @-2 {{undefined symbol alias id 'name'}}
#name = affine_map<(d0) -> (d0 + 1)>
#late = 1 : i32
