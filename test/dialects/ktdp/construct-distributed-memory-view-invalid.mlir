// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @element_type(%a: memref<32x64xf16>, %b: memref<32x64xf32>) {
  // expected-error @below {{all input memrefs must have the same element type as the result: part 1 is 'memref<32x64xf32>' and the whole is 'memref<64x64xf16>'}}
  %v = ktdp.construct_distributed_memory_view (%a, %b : memref<32x64xf16>, memref<32x64xf32>) : memref<64x64xf16>
  return
}

// -----

func.func @rank(%a: memref<64xf16>) {
  // expected-error @below {{all input memrefs must have the same rank as the result: part 0 is 'memref<64xf16>' and the whole is 'memref<64x64xf16>'}}
  %v = ktdp.construct_distributed_memory_view (%a : memref<64xf16>) : memref<64x64xf16>
  return
}

// -----

func.func @size(%a: memref<32x128xf16>) {
  // expected-error @below {{dimension 1 of a part cannot exceed that of the whole}}
  %v = ktdp.construct_distributed_memory_view (%a : memref<32x128xf16>) : memref<64x64xf16>
  return
}

// -----

func.func @no_part() {
  // expected-error @below {{has no part; compose at least one view}}
  %v = ktdp.construct_distributed_memory_view () : memref<64x64xf16>
  return
}
