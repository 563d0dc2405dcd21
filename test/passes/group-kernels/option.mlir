// RUN: not ktir-opt %s --ktir-group-kernels="cores=0" 2>&1 | filecheck %s

// CHECK: error: option cores of ktir-group-kernels: found 0, expected at least 1
module {
}
