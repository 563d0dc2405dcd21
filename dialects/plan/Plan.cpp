//===- Plan.cpp - The plan dialect ----------------------------------------===//
//
// Registers what the dialect defines and checks its module attribute.
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::plan;

#include "plan/PlanDialect.cpp.inc"
#include "plan/PlanEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "plan/PlanAttrs.cpp.inc"

//===----------------------------------------------------------------------===//
// Syntax of layouts
//===----------------------------------------------------------------------===//

static ParseResult parseLayout(OpAsmParser &parser, LayoutAttr &layout) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Layout> kind = symbolizeLayout(word);
  if (!kind)
    return parser.emitError(loc) << "unknown layout '" << word << "'; expected dense or sticks";
  layout = LayoutAttr::get(parser.getContext(), *kind);
  return success();
}

static void printLayout(OpAsmPrinter &printer, Operation *, LayoutAttr layout) {
  printer << stringifyLayout(layout.getValue());
}

#define GET_OP_CLASSES
#include "plan/PlanOps.cpp.inc"

void PlanDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "plan/PlanAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "plan/PlanOps.cpp.inc"
      >();
}

LogicalResult PlanDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != "plan.cores")
    return op->emitError() << "unknown attribute '" << attribute.getName().getValue()
                           << "'; the plan dialect knows 'plan.cores' on a module";
  auto cores = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!isa<ModuleOp>(op) || !cores || cores.getValue().getSExtValue() < 1)
    return op->emitError() << "'plan.cores' is " << attribute.getValue() << " on '" << op->getName()
                           << "'; expected a positive integer on a module";
  return success();
}
