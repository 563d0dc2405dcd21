//===- PlanOps.td - Everything the plan dialect defines -------*- tablegen -*-===//

#ifndef KTIR_PLAN_OPS_TD
#define KTIR_PLAN_OPS_TD

include "plan/PlanKernelOps.td"
include "plan/PlanValueOps.td"

#endif // KTIR_PLAN_OPS_TD
