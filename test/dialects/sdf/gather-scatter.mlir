// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

#row = affine_map<(d0, d1) -> (d0)>
#page = affine_map<(d0, d1) -> (d0, d1 floordiv 64)>
#in_page = affine_map<(d0, d1) -> (d1 mod 64)>

// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[PAGE:.*]] = affine_map<(d0, d1) -> (d0, d1 floordiv 64)>
// CHECK-DAG: #[[IN_PAGE:.*]] = affine_map<(d0, d1) -> (d1 mod 64)>
// CHECK-LABEL: sdf.program @rows
// CHECK-SAME: (%[[X:.*]]: index, %[[C:.*]]: index)
sdf.program @rows(%x: index, %c: index) grid [1] {
  // CHECK: sdf.gather #sdf.buffer<0, 8x384xf16> from %[[X]][0, %[[C]]] via [#sdf.buffer<6144, 8xi32>[#[[ROW]]], _] bounds [30522, 384] strides [384, 1]
  sdf.gather #sdf.buffer<0, 8x384xf16> from %x[0, %c] via [#sdf.buffer<6144, 8xi32>[#row], _]
      bounds [30522, 384] strides [384, 1]
  // CHECK: sdf.scatter #sdf.buffer<0, 8x384xf16> to %[[X]][%[[C]], 0] via [#sdf.buffer<6144, 8xi64>[#[[ROW]]], _] bounds [30522, 384] strides [%[[C]], 1]
  sdf.scatter #sdf.buffer<0, 8x384xf16> to %x[%c, 0] via [#sdf.buffer<6144, 8xi64>[#row], _]
      bounds [30522, 384] strides [%c, 1]
  sdf.return
}

// Dimensions of device memory need not be those of the buffer. A map that takes a dimension as it is
// is written '_'.
// CHECK-LABEL: sdf.program @pages
sdf.program @pages(%x: index) grid [1] {
  // CHECK: sdf.gather #sdf.buffer<0, 2x128xf16> from %{{.*}}[0, 3, 0] via [#sdf.buffer<1024, 2x2xindex>[#[[PAGE]]], #[[ROW]], #[[IN_PAGE]]] bounds
  sdf.gather #sdf.buffer<0, 2x128xf16> from %x[0, 3, 0]
      via [#sdf.buffer<1024, 2x2xindex>[#page], #row, #in_page]
      bounds [100, 8, 64] strides [512, 64, 1]
  // CHECK: via [_, #sdf.buffer<1024, i32>[#{{.*}}]] bounds
  sdf.scatter #sdf.buffer<0, 2x128xf16> to %x[0, 0]
      via [#row, #sdf.buffer<1024, i32>[affine_map<(d0, d1) -> ()>]] bounds [8, 64] strides [64, 1]
  // Without an index buffer, the maps alone rearrange.
  // CHECK: via [#[[IN_PAGE]], #[[ROW]]] bounds
  sdf.gather #sdf.buffer<0, 2x128xf16> from %x[0, 0] via [#in_page, #row] bounds [64, 8] strides [8, 1]
  sdf.return
}
