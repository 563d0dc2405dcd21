// RUN: ktir-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{argument 1 is 'tensor<8xf16>'; arguments are scalars, a tensor is given by its address as an index}}
sdf.program @tensor(%a: index, %b: tensor<8xf16>) grid [1] {
  sdf.return
}

// -----

// expected-error @below {{grid is [4, 0]; expected at least one size, each at least 1}}
sdf.program @grid() grid [4, 0] {
  sdf.return
}

// -----

// expected-error @below {{grid is []; expected at least one size, each at least 1}}
sdf.program @no_grid() grid [] {
  sdf.return
}

// -----

// expected-error @below {{has results; a program returns nothing, it writes to device memory}}
sdf.program @results() -> index grid [1] {
  sdf.return
}

// -----

sdf.program @no_coordinate() grid [32] {
  // expected-error @below {{has no result; expected one a dimension of the grid, at least one}}
  "sdf.core_id"() : () -> ()
  sdf.return
}

// -----

sdf.program @terminator() grid [32] {
  %c = arith.constant 0 : index
  // expected-error @below {{block with no terminator}}
  sdf.read #sdf.buffer<0, 8xf16> from %c[0] bounds [8] strides [1]
}

// -----

// expected-error @below {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
sdf.program @empty() grid [32] {}

// -----

// expected-error @below {{ends with 'ub.unreachable'; expected 'sdf.return'}}
sdf.program @other_terminator() grid [32] {
  ub.unreachable
}

// -----

func.func @not_in_a_module(%a: index) {
  // expected-error @below {{symbol's parent must have the SymbolTable trait}}
  sdf.program @p() grid [1] {
    sdf.return
  }
  return
}
