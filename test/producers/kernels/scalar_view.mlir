#set = affine_set<() : (0 == 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %0 = ktdp.construct_memory_view %x, sizes: [], strides: [] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<f16>
    %1 = ktdp.construct_memory_view %y, sizes: [], strides: [] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<f16>
    %2 = memref.load %0[] : memref<f16>
    %3 = arith.addf %2, %2 : f16
    memref.store %3, %1[] : memref<f16>
    return
  }
}
