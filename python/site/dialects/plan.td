// What the Python op bindings of the plan dialect are generated from.
include "plan/PlanOps.td"
