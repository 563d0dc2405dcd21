//===- SpyreOp.h - The spyreop dialect ------------------------------------===//
//
// Declares the dialect, its attributes, types and operations. What each means is written where it is
// defined, in the .td files beside this header.
//
//===----------------------------------------------------------------------===//

#ifndef KTIR_SPYREOP_H
#define KTIR_SPYREOP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "spyreop/SpyreOpDialect.h.inc"
#include "spyreop/SpyreOpEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "spyreop/SpyreOpAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "spyreop/SpyreOpTypes.h.inc"

#define GET_OP_CLASSES
#include "spyreop/SpyreOpOps.h.inc"

#endif // KTIR_SPYREOP_H
