//===- LocalOps.cpp - Moves inside the scratchpad -------------------------===//

#include "Checks.h"
#include "sdf/Sdf.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::sdf;

static bool isStatic(int64_t entry) { return !ShapedType::isDynamic(entry); }

//===----------------------------------------------------------------------===//
// CopyOp
//===----------------------------------------------------------------------===//

/// Checks that the rectangle lies in `buffer`, as far as its numbers are known.
static LogicalResult verifyRectangle(CopyOp op, StringRef which, BufferAttr buffer, ArrayRef<int64_t> offsets,
                                     ArrayRef<int64_t> strides) {
  for (auto [dim, offset, stride, size] : llvm::enumerate(offsets, strides, op.getStaticSizes())) {
    if (isStatic(size) && size < 0)
      return op.emitOpError("size of dimension ") << dim << " is " << size << ", below 0";
    if (!isStatic(offset) || !isStatic(stride) || !isStatic(size) || size == 0)
      continue;
    int64_t last = offset + (size - 1) * stride;
    if (std::min(offset, last) < 0 || std::max(offset, last) >= buffer.getShape()[dim])
      return op.emitOpError("accesses elements ")
             << std::min(offset, last) << " to " << std::max(offset, last) << " of dimension " << dim
             << " of the " << which << ' ' << buffer << ", which has " << buffer.getShape()[dim];
  }
  return success();
}

LogicalResult CopyOp::verify() {
  BufferAttr src = getSrc(), dst = getDst();
  if (failed(verifyInScratchpad(*this, {src, dst})))
    return failure();
  if (src.getRank() != dst.getRank())
    return emitOpError("source ") << src << " has rank " << src.getRank() << " and destination " << dst
                                  << " rank " << dst.getRank() << "; both are the same";
  if (src.getElementType() != dst.getElementType())
    return emitOpError("copies ") << src.getElementType() << " to " << dst.getElementType()
                                  << "; both are the same, 'sdf.compute' converts";
  if (failed(verifyMixedLists(*this,
                              {{"source offsets", getStaticSrcOffsets(), getSrcOffsets()},
                               {"source strides", getStaticSrcStrides(), getSrcStrides()},
                               {"destination offsets", getStaticDstOffsets(), getDstOffsets()},
                               {"destination strides", getStaticDstStrides(), getDstStrides()},
                               {"sizes", getStaticSizes(), getSizes()}},
                              src.getRank(), "each buffer")))
    return failure();
  if (failed(verifyRectangle(*this, "source", src, getStaticSrcOffsets(), getStaticSrcStrides())))
    return failure();
  if (failed(verifyRectangle(*this, "destination", dst, getStaticDstOffsets(), getStaticDstStrides())))
    return failure();
  return src == dst ? success() : verifyDisjoint(*this, "source", src, "destination", dst);
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  BufferAttr src = getSrc(), dst = getDst();
  if (failed(verifyInScratchpad(*this, {src, dst})))
    return failure();
  if (src.getElementType() != dst.getElementType())
    return emitOpError("reshapes ") << src.getElementType() << " to " << dst.getElementType()
                                    << "; both are the same, 'sdf.compute' converts";
  if (src.getNumElements() != dst.getNumElements())
    return emitOpError("source ") << src << " has " << src.getNumElements() << " elements and destination "
                                  << dst << " " << dst.getNumElements() << "; both are the same";
  return verifyDisjoint(*this, "source", src, "destination", dst);
}

//===----------------------------------------------------------------------===//
// ConstantOp
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::verify() {
  BufferAttr dst = getDst();
  if (failed(verifyInScratchpad(*this, dst)))
    return failure();
  ShapedType type = getValue().getShapedType();
  if (type.getShape() != dst.getShape() || type.getElementType() != dst.getElementType())
    return emitOpError("value is ") << type << ", but the buffer is " << dst
                                    << "; both have the same shape and element type";
  return success();
}

//===----------------------------------------------------------------------===//
// ExtractOp
//===----------------------------------------------------------------------===//

LogicalResult ExtractOp::verify() {
  BufferAttr src = getSrc();
  if (failed(verifyInScratchpad(*this, src)) ||
      failed(verifyMixedLists(*this, {{"indices", getStaticIndices(), getIndices()}}, src.getRank(),
                              "the buffer")))
    return failure();
  for (auto [dim, index] : llvm::enumerate(getStaticIndices()))
    if (isStatic(index) && (index < 0 || index >= src.getShape()[dim]))
      return emitOpError("index ") << index << " of dimension " << dim << " is outside " << src;
  if (getResult().getType() != src.getElementType())
    return emitOpError("result type is ")
           << getResult().getType() << ", but the buffer " << src << " holds " << src.getElementType();
  return success();
}
