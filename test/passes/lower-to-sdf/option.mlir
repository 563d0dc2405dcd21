// RUN: not ktir-opt %s --ktir-lower-to-sdf="scratchpad-limit=0" 2>&1 | filecheck %s

// CHECK: error: option scratchpad-limit of ktir-lower-to-sdf: found 0, expected at least 1
module {
}
