// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @value_type(%n: !ktdp.runtime_arg<i32>) {
  // expected-error @below {{result type is 'index'; extracting 'value' from '!ktdp.runtime_arg<i32>' yields 'i32'}}
  %v = ktdp.runtime_arg_extract value from %n : !ktdp.runtime_arg<i32> -> index
  return
}

// -----

func.func @not_stated(%n: !ktdp.runtime_arg<index, granularity=3>) {
  // expected-error @below {{extracts 'upperbound', which the type '!ktdp.runtime_arg<index, granularity=3>' does not state}}
  %u = ktdp.runtime_arg_extract upperbound from %n : <index, granularity=3> -> index
  return
}

// -----

func.func @promise_type(%n: !ktdp.runtime_arg<i32, granularity=3>) {
  // expected-error @below {{result type is 'i32'; extracting 'granularity' from '!ktdp.runtime_arg<i32, granularity=3>' yields 'index'}}
  %g = ktdp.runtime_arg_extract granularity from %n : <i32, granularity=3> -> i32
  return
}
