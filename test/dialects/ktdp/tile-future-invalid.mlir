// RUN: ktir-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found 'index'}}
// expected-error @below {{failed to parse Ktdp_TileFutureType parameter 'partialTypes', which is a list of tensors with a rank (elsewhere: failed to parse KTDP_TileFutureType parameter 'partialTypes')}}
func.func private @scalar(!ktdp.tile_future<(index), groups = affine_set<(g) : (g == 0)>>)

// -----

// expected-error @below {{expected a tensor with a rank, but found 'index'}}
// expected-error @below {{failed to parse Ktdp_TileFutureType parameter 'partialTypes', which is a list of tensors with a rank (elsewhere: failed to parse KTDP_TileFutureType parameter 'partialTypes')}}
func.func private @second(!ktdp.tile_future<tensor<1xf16>, index, groups = affine_set<(g) : (g == 0)>>)

// -----

// expected-error @below {{tile_future `groups` must have exactly one dimension (g), not 2}}
func.func private @dims(!ktdp.tile_future<(tensor<1xf16>), groups = affine_set<(g, h) : (g == 0)>>)

// -----

// expected-error @below {{tile_future `groups` must have no symbols, not 1}}
func.func private @symbols(!ktdp.tile_future<(tensor<1xf16>), groups = affine_set<(g)[s] : (g == s)>>)

// -----

// expected-error @below {{expected '>'}}
func.func private @rest(!ktdp.tile_future<(tensor<1xf16>), groups = affine_set<(g) : (g == 0)>, 1>)
