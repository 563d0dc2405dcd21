//===- TransferOps.cpp - Device memory to scratchpad and back -------------===//

#include "Checks.h"
#include "sdf/Sdf.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::sdf;

/// Checks the ranges of legal coordinates.
static LogicalResult verifyWithin(Operation *op, std::optional<ArrayRef<int64_t>> within, int64_t rank,
                                  StringRef whose) {
  if (!within)
    return success();
  if (static_cast<int64_t>(within->size()) != 2 * rank)
    return op->emitOpError("within has ")
           << within->size() << " entries; expected two a dimension of " << whose << ", " << 2 * rank;
  for (int64_t dim = 0; dim < rank; ++dim)
    if ((*within)[2 * dim] > (*within)[2 * dim + 1])
      return op->emitOpError("within of dimension ")
             << dim << " is " << (*within)[2 * dim] << " to " << (*within)[2 * dim + 1]
             << "; expected the first legal coordinate and the one after the last";
  return success();
}

/// Checks the three lists that say where device memory is accessed.
template <typename Op> static LogicalResult verifyAddressing(Op op, int64_t rank, StringRef whose) {
  if (failed(verifyMixedLists(op,
                              {{"offsets", op.getStaticOffsets(), op.getOffsets()},
                               {"bounds", op.getStaticBounds(), op.getBounds()},
                               {"strides", op.getStaticStrides(), op.getStrides()}},
                              rank, whose)))
    return failure();
  for (auto [dim, bound] : llvm::enumerate(op.getStaticBounds()))
    if (!ShapedType::isDynamic(bound) && bound < 0)
      return op.emitOpError("bound of dimension ") << dim << " is " << bound << ", below 0";
  return verifyWithin(op, op.getWithin(), rank, whose);
}

/// Checks how much of the buffer is moved.
template <typename Op> static LogicalResult verifySizes(Op op, BufferAttr buffer) {
  return verifyExtents(op, {"sizes", op.getStaticSizes(), op.getSizes()}, buffer.getShape(), "the buffer");
}

template <typename Op> static LogicalResult verifyPlain(Op op, BufferAttr buffer) {
  if (failed(verifyInScratchpad(op, buffer)) || failed(verifySizes(op, buffer)))
    return failure();
  return verifyAddressing(op, buffer.getRank(), "the buffer");
}

LogicalResult ReadOp::verify() { return verifyPlain(*this, getDst()); }

LogicalResult WriteOp::verify() { return verifyPlain(*this, getSrc()); }

/// Checks an entry of `via` that is a table of coordinates.
static LogicalResult verifyViaTable(Operation *op, unsigned dim, DenseElementsAttr table, AffineMap map,
                                    BufferAttr local) {
  if (!table.getElementType().isInteger(64) || table.getType().getShape() != local.getShape())
    return op->emitOpError() << "via entry " << dim << " is a table of type " << table.getType()
                             << "; expected one of i64 with the shape of " << local;
  if (!map.isIdentity())
    return op->emitOpError() << "via entry " << dim << " has the map " << AffineMapAttr::get(map)
                             << "; a table has the identity map";
  return success();
}

/// Checks one entry of `via` against the buffer that is moved.
static LogicalResult verifyViaEntry(Operation *op, unsigned dim, Attribute entry, AffineMap map,
                                    BufferAttr local) {
  if (map.getNumDims() != local.getRank() || map.getNumSymbols() != 0)
    return op->emitOpError() << "via entry " << dim << " has the map " << AffineMapAttr::get(map)
                             << "; expected a map of " << local.getRank()
                             << " dimensions and no symbol, those of " << local;
  if (isa<UnitAttr>(entry)) {
    if (map.getNumResults() != 1)
      return op->emitOpError() << "via entry " << dim << " has " << map.getNumResults()
                               << " expressions; without an index buffer it has one";
    return success();
  }
  if (auto table = dyn_cast<DenseElementsAttr>(entry))
    return verifyViaTable(op, dim, table, map, local);
  auto buffer = dyn_cast<BufferAttr>(entry);
  if (!buffer)
    return op->emitOpError() << "via entry " << dim << " is " << entry
                             << "; expected a buffer, a table or unit";
  if (!buffer.getElementType().isIntOrIndex() || buffer.getElementType().isInteger(1))
    return op->emitOpError() << "index buffer " << buffer << " of via entry " << dim << " holds "
                             << buffer.getElementType() << "; expected integers";
  if (map.getNumResults() != buffer.getRank())
    return op->emitOpError() << "via entry " << dim << " has " << map.getNumResults()
                             << " expressions, but its index buffer " << buffer << " has rank "
                             << buffer.getRank();
  if (failed(verifyInScratchpad(op, buffer)))
    return failure();
  return verifyDisjoint(op, "index buffer", buffer, "data buffer", local);
}

template <typename Op> static LogicalResult verifyIndirect(Op op, BufferAttr local) {
  ArrayAttr buffers = op.getIndexBuffers(), maps = op.getIndexMaps();
  if (buffers.size() != maps.size())
    return op.emitOpError("index_buffers has ") << buffers.size() << " entries and index_maps " << maps.size()
                                                << "; expected one each a dimension of device memory";
  if (failed(verifyInScratchpad(op, local)) || failed(verifySizes(op, local)) ||
      failed(verifyAddressing(op, maps.size(), "the via list")))
    return failure();
  for (auto [dim, entry, map] : llvm::enumerate(buffers, maps.template getAsRange<AffineMapAttr>()))
    if (failed(verifyViaEntry(op, dim, entry, map.getValue(), local)))
      return failure();
  return success();
}

LogicalResult GatherOp::verify() { return verifyIndirect(*this, getDst()); }

LogicalResult ScatterOp::verify() { return verifyIndirect(*this, getSrc()); }
