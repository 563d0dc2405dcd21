//===- Plan.h - The plan dialect ------------------------------------------===//
//
// Declares the dialect, its attributes and operations. What each means is written where it is
// defined, in the .td files beside this header.
//
//===----------------------------------------------------------------------===//

#ifndef KTIR_PLAN_H
#define KTIR_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "plan/PlanDialect.h.inc"
#include "plan/PlanEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "plan/PlanAttrs.h.inc"

#define GET_OP_CLASSES
#include "plan/PlanOps.h.inc"

#endif // KTIR_PLAN_H
