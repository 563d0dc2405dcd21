//===- SdfOps.td - Everything the sdf dialect defines ---------*- tablegen -*-===//

#ifndef KTIR_SDF_OPS_TD
#define KTIR_SDF_OPS_TD

include "sdf/SdfProgramOps.td"
include "sdf/SdfTransferOps.td"
include "sdf/SdfComputeOps.td"
include "sdf/SdfLocalOps.td"
include "sdf/SdfPointsOps.td"
include "sdf/SdfRingOps.td"

#endif // KTIR_SDF_OPS_TD
