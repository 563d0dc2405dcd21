//===- PlanAttrs.td - Enums of the plan dialect ---------------*- tablegen -*-===//

#ifndef KTIR_PLAN_ATTRS_TD
#define KTIR_PLAN_ATTRS_TD

include "plan/PlanDialect.td"
include "mlir/IR/EnumAttr.td"

def Plan_Layout : I32Enum<"Layout", "how a tensor lies in device memory", [
    I32EnumCase<"Dense", 0, "dense">,
    I32EnumCase<"Sticks", 1, "sticks">,
  ]> {
  let cppNamespace = "::mlir::plan";
  let description = "The layouts of `plan.relayout`.";
}

def Plan_LayoutAttr : EnumAttr<Plan_Dialect, Plan_Layout, "layout"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // KTIR_PLAN_ATTRS_TD
