//===- SpyreOp.cpp - The spyreop dialect ----------------------------------===//
//
// Registers what the dialect defines. What its operations must satisfy is in Ops.cpp.
//
//===----------------------------------------------------------------------===//

#include "spyreop/SpyreOp.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::spyreop;

#include "spyreop/SpyreOpDialect.cpp.inc"
#include "spyreop/SpyreOpEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "spyreop/SpyreOpAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "spyreop/SpyreOpTypes.cpp.inc"

void SpyreOpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "spyreop/SpyreOpAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "spyreop/SpyreOpTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "spyreop/SpyreOpOps.cpp.inc"
      >();
}
