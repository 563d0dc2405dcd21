// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @product(%v: memref<8xf16>, %i: index, %j: index) {
  // expected-error @below {{expression is not affine; expected an integer or symbol(..) on one side of '*'}}
  %t = ktdp.construct_access_tile %v[%i * %j] {} : memref<8xf16> -> <1xindex>
  return
}

// -----

func.func @quotient(%v: memref<8xf16>, %i: index, %j: index) {
  // expected-error @below {{expected an integer or symbol(..) on the right of this operator}}
  %t = ktdp.construct_access_tile %v[8 floordiv %j] {} : memref<8xf16> -> <1xindex>
  return
}

// -----

func.func @no_operand(%v: memref<8xf16>, %i: index) {
  // expected-error @below {{expected SSA operand}}
  %t = ktdp.construct_access_tile %v[%i +] {} : memref<8xf16> -> <1xindex>
  return
}
