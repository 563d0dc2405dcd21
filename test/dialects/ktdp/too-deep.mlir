// Text nested deeper than MLIR's parser can follow is refused, not a crash.
// RUN: awk 'BEGIN { printf "func.func @k() {"; for (i = 0; i < 20000; i++) printf "scf.execute_region {" }' > %t
// RUN: not ktir-opt %t 2>&1 | filecheck %s
// RUN: not ktir-opt - < %t 2>&1 | filecheck %s

// CHECK: :1: error: more than 128 brackets are open here; nothing that deep can be read
