// RUN: not ktir-opt %s --ktir-choose-tiles="capacity=0" 2>&1 | filecheck %s

// CHECK: error: option capacity of ktir-choose-tiles: found 0, expected at least 1
module {
}
