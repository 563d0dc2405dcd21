// RUN: ktir-opt %s | ktir-opt | filecheck %s
// RUN: ktir-opt %s --mlir-print-op-generic | ktir-opt | filecheck %s

// CHECK-LABEL: sdf.program @all_parts(%{{.*}}: index {ktir.name = "x"}, %{{.*}}: f16) grid [4, 8] attributes {note = "a"} {
sdf.program @all_parts(%x: index {ktir.name = "x"}, %s: f16) grid [4, 8] attributes {note = "a"} {
  // CHECK: %{{.*}}:2 = sdf.core_id : index, index
  %i, %j = sdf.core_id : index, index
  // CHECK: sdf.return
  sdf.return
}

// CHECK-LABEL: sdf.program private @no_argument() grid [32] {
sdf.program private @no_argument() grid [32] {
  // CHECK: sdf.core_id : index, index
  %i, %zero = sdf.core_id : index, index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  scf.for %k = %c0 to %i step %c1 {
    // CHECK: sdf.core_id : index
    %inner = sdf.core_id : index
  }
  sdf.return
}
