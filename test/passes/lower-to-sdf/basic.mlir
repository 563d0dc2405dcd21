// RUN: ktir-opt %s --ktir-lower-to-sdf | filecheck %s
// RUN: ktir-opt %s --ktir-lower-to-sdf --mlir-print-debuginfo | filecheck %s --check-prefix=LOC

// A view folds into the lists of its transfers; the negated tile takes the place of the loaded one, and the host
// module stays as it is.

#rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 89 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id = affine_map<(d0, d1) -> (d0, d1)>

// CHECK-LABEL: module @kernels
module @kernels {
  // CHECK: sdf.program @negate(%[[X:.*]]: index {ktir.name = "x"}, %[[Y:.*]]: index) grid [4, 8] attributes {note = "n"}
  func.func @negate(%x: index {ktir.name = "x"}, %y: index) attributes {grid = [4, 8], note = "n"} {
    // CHECK: %[[C3:.*]] = arith.constant 3 : index
    %c3 = arith.constant 3 : index
    // CHECK: %[[CORE:.*]]:2 = sdf.core_id : index, index
    %i, %j = ktdp.get_compute_tile_id : index, index
    // CHECK: %[[ROW:.*]] = arith.muli %[[CORE]]#0, %[[C3]] : index
    %row = arith.muli %i, %c3 : index
    %xv = ktdp.construct_memory_view %x, sizes: [96, 64], strides: [64, 1] {
      coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM>} : memref<96x64xf16>
    %yv = ktdp.construct_memory_view %y, sizes: [96, 64], strides: [64, 1] {
      coordinate_set = #rows, memory_space = #ktdp.memory_space<global>} : memref<96x64xf16>
    %from = ktdp.construct_access_tile %xv[%row, 0] {access_tile_set = #tile, access_tile_order = #id}
        : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
    %to = ktdp.construct_access_tile %yv[%row, 0] {access_tile_set = #tile, access_tile_order = #id}
        : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
    // CHECK-NEXT: sdf.read #sdf.buffer<0, 3x64xf16> from %[[X]][%[[ROW]], 0] bounds [90, 64] strides [64, 1]
    %a = ktdp.load %from : <3x64xindex> -> tensor<3x64xf16>
    // CHECK-NEXT: sdf.compute vector ins(#sdf.buffer<0, 3x64xf16>) outs(#sdf.buffer<0, 3x64xf16>)
    // CHECK-SAME: indexing_maps = [#[[MAP:.*]], #[[MAP]]], iterator_types = ["parallel", "parallel"]
    // CHECK: %[[N:.*]] = arith.negf %{{.*}} : f16
    // CHECK-NEXT: sdf.yield %[[N]] : f16
    %b = arith.negf %a : tensor<3x64xf16>
    // CHECK: sdf.write #sdf.buffer<0, 3x64xf16> to %[[Y]][%[[ROW]], 0] bounds [90, 64] strides [64, 1]
    // LOC: sdf.write {{.*}} loc(#[[STORE:.*]])
    // LOC: #[[STORE]] = loc("the store")
    ktdp.store %b, %to : tensor<3x64xf16>, <3x64xindex> loc("the store")
    // CHECK: sdf.return
    return
  }
}

// CHECK-LABEL: module @host
module @host {
  // CHECK-NEXT: func.func private @negate(index, index)
  func.func private @negate(index, index)
  // CHECK: func.func @main
  func.func @main(%a: index) {
    // CHECK: call @negate(%{{.*}}, %{{.*}})
    func.call @negate(%a, %a) : (index, index) -> ()
    return
  }
}
