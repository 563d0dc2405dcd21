// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @more_than_the_grid() attributes {grid = [32]} {
  // expected-error @below {{has 2 results, but the grid [32] has 1 dimensions}}
  %i, %j = ktdp.get_compute_tile_id : index, index
  return
}

// -----

func.func @none() {
  // expected-error @below {{has no result; expected one a dimension of the grid, at least one}}
  "ktdp.get_compute_tile_id"() : () -> ()
  return
}
