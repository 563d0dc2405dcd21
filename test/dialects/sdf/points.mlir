// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-DAG: #[[ORDER:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[SET:.*]] = affine_set<(d0, d1)[s0] : (d1 >= 0, d0 - d1 >= 0, -d0 + s0 - 1 >= 0)>
// CHECK-DAG: #[[LINE:.*]] = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>

// CHECK-LABEL: sdf.program @points
// CHECK-SAME: (%[[N:.*]]: index)
sdf.program @points(%n: index) grid [1] {
  // CHECK: sdf.points #sdf.buffer<0, 3xi64>, #sdf.buffer<128, 3xi64> of #[[SET]][%[[N]]] order #[[ORDER]]
  sdf.points #sdf.buffer<0, 3xi64>, #sdf.buffer<128, 3xi64>
      of affine_set<(d0, d1)[s0] : (d1 >= 0, d0 - d1 >= 0, -d0 + s0 - 1 >= 0)>[%n]
      order affine_map<(d0, d1) -> (d1, d0)>
  // CHECK: sdf.points #sdf.buffer<256, 2x2xi64> of #[[LINE]] order
  sdf.points #sdf.buffer<256, 2x2xi64> of affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
      order affine_map<(d0) -> (-d0)>
  sdf.return
}
