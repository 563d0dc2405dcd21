//===- Ktdp.cpp - The ktdp dialect ----------------------------------------===//
//
// Registers what the dialect defines, makes constants and checks the module attribute. The attributes, types
// and operations themselves live in the other files of this folder.
//
//===----------------------------------------------------------------------===//

#include "ktdp/Ktdp.h"
#include "InterTile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ktdp;

#include "ktdp/KtdpDialect.cpp.inc"
#include "ktdp/KtdpEnums.cpp.inc"
#include "ktdp/KtdpInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ktdp/KtdpAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ktdp/KtdpTypes.cpp.inc"

#define GET_OP_CLASSES
#include "ktdp/KtdpOps.cpp.inc"

void KtdpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ktdp/KtdpAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "ktdp/KtdpTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ktdp/KtdpOps.cpp.inc"
      >();
  addBytecodeInterface(*this);
}

Operation *KtdpDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult KtdpDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != "ktdp.cores")
    return success(); // other tools may leave notes of their own
  auto cores = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!isa<ModuleOp>(op) || !cores || cores.getValue().getSExtValue() < 1)
    return op->emitError() << "'ktdp.cores' is " << attribute.getValue() << " on '" << op->getName()
                           << "'; expected a positive integer on a module";
  return success();
}
