// RUN: ktir-opt %s --split-input-file --verify-diagnostics --ktir-respell-memory-spaces

// expected-error @below {{'ktdp.construct_memory_view' at}}
module {
  func.func @registers(%at: index) {
    %0 = ktdp.construct_memory_view %at, sizes: [64], strides: [1] {
      coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>,
      memory_space = #ktdp.spyre_memory_space<L0>} : memref<64xf32>
    return
  }
}
