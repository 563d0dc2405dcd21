// RUN: ktir-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{buffer at address 64; an address is a multiple of 128 and at least 0}}
func.func private @misaligned() attributes {b = #sdf.buffer<64, 8xf16>}

// -----

// expected-error @below {{buffer at address -128; an address is a multiple of 128 and at least 0}}
func.func private @negative() attributes {b = #sdf.buffer<-128, 8xf16>}

// -----

// expected-error @below {{buffer has a dimension of size 0; sizes are at least 1}}
func.func private @empty() attributes {b = #sdf.buffer<0, 0x8xf16>}

// -----

// expected-error @below {{buffer of 'complex<f32>'; a buffer holds integers, floats or indices}}
func.func private @element() attributes {b = #sdf.buffer<0, 8xcomplex<f32>>}

// -----

sdf.program @default_size() grid [1] {
  // expected-error @below {{buffer #sdf.buffer<2097024, 2x2xf16> takes bytes 2097024 to 2097279, but the scratchpad has 2097152 bytes}}
  %0 = sdf.extract #sdf.buffer<2097024, 2x2xf16>[0, 0] : f16
  sdf.return
}

// -----

module attributes {sdf.scratchpad_bytes = 256} {
  sdf.program @size_of_module() grid [1] {
    // expected-error @below {{buffer #sdf.buffer<128, 65xf16> takes bytes 128 to 383, but the scratchpad has 256 bytes}}
    %0 = sdf.extract #sdf.buffer<128, 65xf16>[0] : f16
    sdf.return
  }
}

// -----

// expected-error @below {{'sdf.scratchpad_bytes' is "2M" on 'builtin.module'; expected a positive integer on a module}}
module attributes {sdf.scratchpad_bytes = "2M"} {}
