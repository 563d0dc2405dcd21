// RUN: ktir-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{tile element type must be 'index', because a tile holds coordinates, not 'f16'}}
func.func private @element_type(!ktdp.access_tile<32x64xf16>)

// -----

// expected-error @below {{runtime_arg of 'tensor<4xf32>'; a runtime argument is an index, an integer or a float}}
func.func private @not_a_scalar(!ktdp.runtime_arg<tensor<4xf32>>)

// -----

// expected-error @below {{runtime_arg granularity must be positive, not 0}}
func.func private @granularity(!ktdp.runtime_arg<index, granularity=0>)

// -----

// expected-error @below {{runtime_arg upperbound must be positive, not -1}}
func.func private @upperbound(!ktdp.runtime_arg<index, upperbound=-1>)

// -----

// expected-error @below {{'upperbound' is given twice}}
func.func private @twice(!ktdp.runtime_arg<index, upperbound=8, upperbound=9>)

// -----

// expected-error @below {{unknown promise 'stride' of a runtime argument}}
func.func private @unknown(!ktdp.runtime_arg<index, stride=8>)
