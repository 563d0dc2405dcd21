//===- InterTilePlacement.cpp - What a delivery makes of a tile's shape ---===//
//
// A list of dimensions stands for the space of their coordinates, flattened row-major. Slices and
// pieces are contiguous chunks of that space, so what counts is the product of the listed extents.
//
//===----------------------------------------------------------------------===//

#include "InterTile.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

/// The flattened extent of the listed dimensions; nullopt if one is dynamic.
static std::optional<int64_t> getExtent(RankedTensorType type, ArrayRef<int64_t> dims) {
  int64_t extent = 1;
  for (int64_t dim : dims) {
    if (type.isDynamicDim(dim))
      return std::nullopt;
    extent *= type.getDimSize(dim);
  }
  return extent;
}

/// Checks that a list is in ascending order, without repetition, and of dimensions of `partial`.
static LogicalResult verifyList(Operation *op, const DimensionList &list, RankedTensorType partial) {
  if (list.name.empty())
    return success();
  if (list.dims.empty())
    return op->emitOpError() << list.name << " is empty; list at least one dimension of " << partial
                             << " (R9)";
  for (int64_t dim : list.dims)
    if (dim < 0 || dim >= partial.getRank())
      return op->emitOpError() << list.name << " lists dimension " << dim << ", but the partial " << partial
                               << " has dimensions 0 to " << partial.getRank() - 1 << " (R9)";
  for (auto [dim, next] : llvm::zip(list.dims, list.dims.drop_front()))
    if (dim >= next)
      return op->emitOpError() << list.name << " is [" << list.dims
                               << "]; dimensions ascend, each listed once (R9)";
  return success();
}

namespace {

/// The check of one role.
class RoleCheck {
public:
  RoleCheck(Operation *op, const Placement &placement, const Counts &counts, RankedTensorType partial,
            RankedTensorType result)
      : op(op), placement(placement), counts(counts), partial(partial), result(result) {}

  LogicalResult verify();

private:
  InFlightDiagnostic report() {
    return op->emitOpError() << "delivers " << result << " from partials " << partial << ": ";
  }
  /// Checks what is not listed: element type, rank, all other extents.
  LogicalResult verifyRest();
  /// Checks that the flattened extent over `dims` is that of the partial times `times` and divided by
  /// `parts`, where both are known.
  LogicalResult verifyExtent(ArrayRef<int64_t> dims, StringRef names, std::optional<int64_t> times,
                             std::optional<int64_t> parts, StringRef rule);
  /// Checks that every extent of a list divides its counterpart: pieces are whole in each dimension.
  LogicalResult verifyWhole(const DimensionList &list, RankedTensorType whole, RankedTensorType piece);

  Operation *op;
  const Placement &placement;
  const Counts &counts;
  RankedTensorType partial, result;
};

} // namespace

LogicalResult RoleCheck::verifyRest() {
  if (partial.getElementType() != result.getElementType())
    return report() << "the element type stays the same";
  if (partial.getRank() != result.getRank())
    return report() << "the rank stays the same";
  for (int64_t dim = 0; dim < partial.getRank(); ++dim)
    if (!llvm::is_contained(placement.split.dims, dim) && !llvm::is_contained(placement.concat.dims, dim) &&
        partial.getDimSize(dim) != result.getDimSize(dim))
      return report() << "dimension " << dim << " changes, but no list of dimensions holds it";
  return success();
}

LogicalResult RoleCheck::verifyExtent(ArrayRef<int64_t> dims, StringRef names, std::optional<int64_t> times,
                                      std::optional<int64_t> parts, StringRef rule) {
  auto before = getExtent(partial, dims), after = getExtent(result, dims);
  if (!before || !after || !times || !parts || *parts == 0)
    return success(); // nothing is known, or nobody consumes
  if (*before % *parts != 0)
    return report() << names << " cover " << *before << " coordinates, which " << *parts
                    << " consumers cannot share evenly (" << rule << ")";
  int64_t expected = *before / *parts * *times;
  if (*after == expected)
    return success();
  InFlightDiagnostic diagnostic = report() << "expected " << expected << " coordinates over " << names
                                           << ", from " << *before;
  if (*parts != 1)
    diagnostic << " for each of " << *parts << " consumers";
  if (*times != 1)
    diagnostic << " from each of " << *times << " producers";
  return diagnostic << ", but they are " << *after << " (" << rule << ")";
}

LogicalResult RoleCheck::verifyWhole(const DimensionList &list, RankedTensorType whole,
                                     RankedTensorType piece) {
  for (int64_t dim : list.dims)
    if (!whole.isDynamicDim(dim) && !piece.isDynamicDim(dim) && piece.getDimSize(dim) != 0 &&
        whole.getDimSize(dim) % piece.getDimSize(dim) != 0)
      return report() << "dimension " << dim << " of " << list.name << " is " << whole.getDimSize(dim)
                      << ", which is no multiple of " << piece.getDimSize(dim);
  return success();
}

LogicalResult RoleCheck::verify() {
  const DimensionList &split = placement.split, &concat = placement.concat;
  if (failed(verifyRest()))
    return failure();
  if (split.dims == concat.dims)
    return verifyExtent(split.dims, split.name, counts.sources, counts.consumers, "R9, R12");
  if (failed(verifyExtent(split.dims, split.name, 1, counts.consumers, "R9")) ||
      failed(verifyExtent(concat.dims, concat.name, counts.sources, 1, "R12")))
    return failure();
  return success(succeeded(verifyWhole(split, partial, result)) &&
                 succeeded(verifyWhole(concat, result, partial)));
}

LogicalResult ktdp::verifyPlacement(const Delivery &delivery, const Placement &placement,
                                    const Counts &counts) {
  Operation *op = delivery.op;
  ArrayRef<RankedTensorType> partials = delivery.future.getPartialTypes();
  if (op->getNumResults() != partials.size())
    return op->emitOpError("failed to verify that result types must match future partial types: has ")
           << op->getNumResults() << " results for " << partials.size() << " roles";
  for (auto [partial, type] : llvm::zip_equal(partials, op->getResultTypes())) {
    if (failed(verifyList(op, placement.split, partial)) || failed(verifyList(op, placement.concat, partial)))
      return failure();
    RoleCheck check(op, placement, counts, partial, cast<RankedTensorType>(type));
    if (failed(check.verify()))
      return failure();
  }
  return success();
}
