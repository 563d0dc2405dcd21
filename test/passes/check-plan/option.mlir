// RUN: not ktir-opt %s --ktir-check-plan="cores=0" 2>&1 | filecheck %s --check-prefix=CORES
// RUN: not ktir-opt %s --ktir-check-plan="capacity=-1" 2>&1 | filecheck %s --check-prefix=CAPACITY

// CORES: error: option cores of ktir-check-plan: found 0, expected at least 1
// CAPACITY: error: option capacity of ktir-check-plan: found -1, expected at least 1
module {
}
