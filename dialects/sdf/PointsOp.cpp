//===- PointsOp.cpp - Coordinates that a program computes ------------------===//

#include "Checks.h"
#include "sdf/Sdf.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::sdf;

/// Checks that there is a buffer of coordinates a dimension, all of one shape and apart.
static LogicalResult verifyCoordinates(PointsOp op, ArrayRef<BufferAttr> buffers) {
  if (failed(verifyInScratchpad(op, buffers)))
    return failure();
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    if (!buffer.getElementType().isInteger(64))
      return op.emitOpError("buffer ")
             << buffer << " holds " << buffer.getElementType() << "; coordinates are i64";
    if (buffer.getShape() != buffers[0].getShape())
      return op.emitOpError("buffers ") << buffers[0] << " and " << buffer << " differ in shape; points have "
                                        << "one element in each";
    for (BufferAttr other : buffers.take_front(number))
      if (failed(verifyDisjoint(op, "buffer", other, "buffer", buffer)))
        return failure();
  }
  return success();
}

LogicalResult PointsOp::verify() {
  SmallVector<BufferAttr> buffers(getBuffers().getAsRange<BufferAttr>());
  IntegerSet set = getSet();
  AffineMap order = getOrder();
  if (buffers.empty() || buffers.size() != set.getNumDims())
    return emitOpError("has ") << buffers.size() << " buffers and a set of " << set.getNumDims()
                               << " dimensions; expected one a dimension, at least one";
  if (getSymbols().size() != set.getNumSymbols())
    return emitOpError("has ") << getSymbols().size() << " symbols; its set has " << set.getNumSymbols();
  if (order.getNumDims() != set.getNumDims() || order.getNumSymbols() != 0)
    return emitOpError("has the order ") << AffineMapAttr::get(order) << "; expected a map of "
                                         << set.getNumDims() << " dimensions and no symbol";
  return verifyCoordinates(*this, buffers);
}
