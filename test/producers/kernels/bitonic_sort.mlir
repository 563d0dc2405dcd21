#map = affine_map<(d0) -> (d0)>
#set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
module {
  func.func @k(%x: index, %y: index) attributes {grid = [1]} {
    %c0 = arith.constant 0 : index
    %0 = ktdp.construct_memory_view %x, sizes: [16], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16xf32>
    %1 = ktdp.construct_memory_view %y, sizes: [16], strides: [1] {coordinate_set = #set, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<16xf32>
    %2 = ktdp.construct_access_tile %0[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<16xf32> -> !ktdp.access_tile<16xindex>
    %3 = ktdp.load %2 : <16xindex> -> tensor<16xf32>
    %generated = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c1 = arith.constant 1 : index
      %15 = arith.xori %arg2, %c1 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather = tensor.gather %3[%generated] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed = tensor.collapse_shape %gather [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %4 = tensor.empty() : tensor<16xf32>
    %mapped = linalg.map ins(%3, %collapsed : tensor<16xf32>, tensor<16xf32>) outs(%4 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c1 : index
        %17 = arith.andi %15, %c2 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_0 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c2 = arith.constant 2 : index
      %15 = arith.xori %arg2, %c2 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_1 = tensor.gather %mapped[%generated_0] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_2 = tensor.collapse_shape %gather_1 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %5 = tensor.empty() : tensor<16xf32>
    %mapped_3 = linalg.map ins(%mapped, %collapsed_2 : tensor<16xf32>, tensor<16xf32>) outs(%5 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c2 = arith.constant 2 : index
        %c4 = arith.constant 4 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c2 : index
        %17 = arith.andi %15, %c4 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_4 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c1 = arith.constant 1 : index
      %15 = arith.xori %arg2, %c1 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_5 = tensor.gather %mapped_3[%generated_4] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_6 = tensor.collapse_shape %gather_5 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %6 = tensor.empty() : tensor<16xf32>
    %mapped_7 = linalg.map ins(%mapped_3, %collapsed_6 : tensor<16xf32>, tensor<16xf32>) outs(%6 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c1 : index
        %17 = arith.andi %15, %c4 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_8 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c4 = arith.constant 4 : index
      %15 = arith.xori %arg2, %c4 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_9 = tensor.gather %mapped_7[%generated_8] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_10 = tensor.collapse_shape %gather_9 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %7 = tensor.empty() : tensor<16xf32>
    %mapped_11 = linalg.map ins(%mapped_7, %collapsed_10 : tensor<16xf32>, tensor<16xf32>) outs(%7 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c4 = arith.constant 4 : index
        %c8 = arith.constant 8 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c4 : index
        %17 = arith.andi %15, %c8 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_12 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c2 = arith.constant 2 : index
      %15 = arith.xori %arg2, %c2 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_13 = tensor.gather %mapped_11[%generated_12] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_14 = tensor.collapse_shape %gather_13 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %8 = tensor.empty() : tensor<16xf32>
    %mapped_15 = linalg.map ins(%mapped_11, %collapsed_14 : tensor<16xf32>, tensor<16xf32>) outs(%8 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c2 = arith.constant 2 : index
        %c8 = arith.constant 8 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c2 : index
        %17 = arith.andi %15, %c8 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_16 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c1 = arith.constant 1 : index
      %15 = arith.xori %arg2, %c1 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_17 = tensor.gather %mapped_15[%generated_16] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_18 = tensor.collapse_shape %gather_17 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %9 = tensor.empty() : tensor<16xf32>
    %mapped_19 = linalg.map ins(%mapped_15, %collapsed_18 : tensor<16xf32>, tensor<16xf32>) outs(%9 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c1 = arith.constant 1 : index
        %c8 = arith.constant 8 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c1 : index
        %17 = arith.andi %15, %c8 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_20 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c8 = arith.constant 8 : index
      %15 = arith.xori %arg2, %c8 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_21 = tensor.gather %mapped_19[%generated_20] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_22 = tensor.collapse_shape %gather_21 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %10 = tensor.empty() : tensor<16xf32>
    %mapped_23 = linalg.map ins(%mapped_19, %collapsed_22 : tensor<16xf32>, tensor<16xf32>) outs(%10 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c8 = arith.constant 8 : index
        %c16 = arith.constant 16 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c8 : index
        %17 = arith.andi %15, %c16 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_24 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c4 = arith.constant 4 : index
      %15 = arith.xori %arg2, %c4 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_25 = tensor.gather %mapped_23[%generated_24] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_26 = tensor.collapse_shape %gather_25 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %11 = tensor.empty() : tensor<16xf32>
    %mapped_27 = linalg.map ins(%mapped_23, %collapsed_26 : tensor<16xf32>, tensor<16xf32>) outs(%11 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c4 = arith.constant 4 : index
        %c16 = arith.constant 16 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c4 : index
        %17 = arith.andi %15, %c16 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_28 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c2 = arith.constant 2 : index
      %15 = arith.xori %arg2, %c2 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_29 = tensor.gather %mapped_27[%generated_28] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_30 = tensor.collapse_shape %gather_29 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %12 = tensor.empty() : tensor<16xf32>
    %mapped_31 = linalg.map ins(%mapped_27, %collapsed_30 : tensor<16xf32>, tensor<16xf32>) outs(%12 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c2 = arith.constant 2 : index
        %c16 = arith.constant 16 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c2 : index
        %17 = arith.andi %15, %c16 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %generated_32 = tensor.generate  {
    ^bb0(%arg2: index, %arg3: index):
      %c1 = arith.constant 1 : index
      %15 = arith.xori %arg2, %c1 : index
      tensor.yield %15 : index
    } : tensor<16x1xindex>
    %gather_33 = tensor.gather %mapped_31[%generated_32] gather_dims([0]) : (tensor<16xf32>, tensor<16x1xindex>) -> tensor<16x1xf32>
    %collapsed_34 = tensor.collapse_shape %gather_33 [[0, 1]] : tensor<16x1xf32> into tensor<16xf32>
    %13 = tensor.empty() : tensor<16xf32>
    %mapped_35 = linalg.map ins(%mapped_31, %collapsed_34 : tensor<16xf32>, tensor<16xf32>) outs(%13 : tensor<16xf32>)
      (%in: f32, %in_36: f32, %init: f32) {
        %15 = linalg.index 0 : index
        %c1 = arith.constant 1 : index
        %c16 = arith.constant 16 : index
        %c0_37 = arith.constant 0 : index
        %16 = arith.andi %15, %c1 : index
        %17 = arith.andi %15, %c16 : index
        %18 = arith.cmpi eq, %16, %c0_37 : index
        %19 = arith.cmpi eq, %17, %c0_37 : index
        %20 = arith.cmpi eq, %18, %19 : i1
        %21 = arith.minimumf %in, %in_36 : f32
        %22 = arith.maximumf %in, %in_36 : f32
        %23 = arith.select %20, %21, %22 : f32
        linalg.yield %23 : f32
      }
    %14 = ktdp.construct_access_tile %1[%c0] {access_tile_order = #map, access_tile_set = #set} : memref<16xf32> -> !ktdp.access_tile<16xindex>
    ktdp.store %mapped_35, %14 : tensor<16xf32>, <16xindex>
    return
  }
}
