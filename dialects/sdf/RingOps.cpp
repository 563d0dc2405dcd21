//===- RingOps.cpp - From core to core ------------------------------------===//

#include "Checks.h"
#include "sdf/Sdf.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::sdf;

//===----------------------------------------------------------------------===//
// ByCoreOp
//===----------------------------------------------------------------------===//

LogicalResult ByCoreOp::verify() {
  RankedTensorType type = cast<RankedTensorType>(getTable().getType());
  if (type.getRank() != static_cast<int64_t>(getIndices().size()) + 1)
    return emitOpError("table is ") << type << " and there are " << getIndices().size()
                                    << " operands; expected a dimension for the cores and one an operand";
  std::optional<int64_t> cores = getNumCores(*this);
  if (cores && type.getDimSize(0) != *cores)
    return emitOpError("table is ") << type << ", but the program's grid has " << *cores
                                    << " cores; expected one row a core";
  return success();
}

OpFoldResult ByCoreOp::fold(FoldAdaptor) {
  if (!getTable().isSplat())
    return {};
  return IntegerAttr::get(getType(), getTable().getSplatValue<APInt>().getSExtValue());
}

//===----------------------------------------------------------------------===//
// PublishOp
//===----------------------------------------------------------------------===//

LogicalResult PublishOp::verify() {
  SmallVector<BufferAttr> buffers(getBuffers().getAsRange<BufferAttr>());
  if (buffers.empty())
    return emitOpError("has no buffer; publish at least one");
  if (failed(verifyInScratchpad(*this, buffers)))
    return failure();
  ArrayRef<int64_t> producers = getProducers();
  for (size_t i = 1; i < producers.size(); ++i)
    if (producers[i - 1] >= producers[i])
      return emitOpError("producers are [") << producers << "]; they ascend, each listed once";
  std::optional<int64_t> cores = getNumCores(*this);
  for (int64_t core : producers)
    if (core < 0 || (cores && core >= *cores)) {
      InFlightDiagnostic diagnostic = emitOpError("lists core ") << core << "; cores are numbered from 0";
      return cores ? diagnostic << " to " << *cores - 1 << " in the program's grid" : diagnostic;
    }
  for (Operation *user : getFuture().getUsers())
    if (!isa<ReceiveOp>(user))
      return emitOpError("future is used by '") << user->getName() << "'; only 'sdf.receive' takes one";
  return success();
}

//===----------------------------------------------------------------------===//
// ReceiveOp
//===----------------------------------------------------------------------===//

/// Checks the buffers against those that are published.
static LogicalResult verifyContents(ReceiveOp op, ArrayRef<BufferAttr> buffers) {
  auto publish = op.getFuture().getDefiningOp<PublishOp>();
  if (!publish)
    return op.emitOpError("takes a future that no 'sdf.publish' makes in sight");
  SmallVector<BufferAttr> published(publish.getBuffers().getAsRange<BufferAttr>());
  if (published.size() != buffers.size())
    return op.emitOpError("fills ") << buffers.size() << " buffers, but " << published.size()
                                    << " are published";
  for (auto [number, from, to] : llvm::enumerate(published, buffers))
    if (from.getShape() != to.getShape() || from.getElementType() != to.getElementType())
      return op.emitOpError("buffer ") << number << " is " << to << ", but what is published is " << from
                                       << "; both have the same shape and element type";
  return success();
}

LogicalResult ReceiveOp::verify() {
  SmallVector<BufferAttr> buffers(getBuffers().getAsRange<BufferAttr>());
  if (failed(verifyInScratchpad(*this, buffers)) || failed(verifyContents(*this, buffers)))
    return failure();
  for (size_t b = 1; b < buffers.size(); ++b)
    for (size_t a = 0; a < b; ++a)
      if (failed(verifyDisjoint(*this, "buffer", buffers[a], "buffer", buffers[b])))
        return failure();
  return success();
}
