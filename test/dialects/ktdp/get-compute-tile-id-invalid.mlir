// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @none() {
  // expected-error @below {{has no result; expected one a dimension of the grid, at least one}}
  "ktdp.get_compute_tile_id"() : () -> ()
  return
}
