//===- ValueOps.cpp - Decisions about one value ---------------------------===//

#include "plan/Plan.h"

using namespace mlir;
using namespace mlir::plan;

LogicalResult RestickifyOp::verify() {
  auto type = cast<RankedTensorType>(getInput().getType());
  int64_t dim = getDim();
  if (dim < 0 || dim >= type.getRank())
    return emitOpError("dim is ") << dim << ", but " << type << " has rank " << type.getRank();
  return success();
}
