// RUN: not ktir-opt %s --ktir-divide-work="cores=0" 2>&1 | filecheck %s

// CHECK: error: option cores of ktir-divide-work: found 0, expected at least 1
module {
}
