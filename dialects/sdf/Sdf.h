//===- Sdf.h - The sdf dialect --------------------------------------------===//
//
// Declares the dialect, its attributes, types and operations. What each means is written where it is
// defined, in the .td files beside this header.
//
//===----------------------------------------------------------------------===//

#ifndef KTIR_SDF_H
#define KTIR_SDF_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include "sdf/SdfDialect.h.inc"
#include "sdf/SdfEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sdf/SdfAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "sdf/SdfTypes.h.inc"

#define GET_OP_CLASSES
#include "sdf/SdfOps.h.inc"

#endif // KTIR_SDF_H
