//===- Ktdp.h - The ktdp dialect ------------------------------------------===//
//
// Declares the dialect, its attributes, types and operations. What each means is written where it
// is defined, in the .td files beside this header.
//
//===----------------------------------------------------------------------===//

#ifndef KTIR_KTDP_H
#define KTIR_KTDP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "ktdp/KtdpDialect.h.inc"
#include "ktdp/KtdpEnums.h.inc"
#include "ktdp/KtdpInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ktdp/KtdpAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "ktdp/KtdpTypes.h.inc"

#define GET_OP_CLASSES
#include "ktdp/KtdpOps.h.inc"

#endif // KTIR_KTDP_H
