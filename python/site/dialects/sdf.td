// What the Python op bindings of the sdf dialect are generated from.
include "sdf/SdfOps.td"
