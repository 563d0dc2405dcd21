// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @value_type(%n: !ktdp.runtime_arg<i32>) {
  // expected-error @below {{result type ('index') must match runtime_arg underlying type ('i32') when extracting value}}
  %v = ktdp.runtime_arg_extract value from %n : !ktdp.runtime_arg<i32> -> index
  return
}

// -----

func.func @not_stated(%n: !ktdp.runtime_arg<index, granularity=3>) {
  // expected-error @below {{cannot extract upperbound from runtime_arg that doesn't have one: the type is '!ktdp.runtime_arg<index, granularity=3>'}}
  %u = ktdp.runtime_arg_extract upperbound from %n : <index, granularity=3> -> index
  return
}

// -----

func.func @promise_type(%n: !ktdp.runtime_arg<i32, granularity=3>) {
  // expected-error @below {{result type must be index when extracting granularity, but got 'i32'}}
  %g = ktdp.runtime_arg_extract granularity from %n : <i32, granularity=3> -> i32
  return
}
