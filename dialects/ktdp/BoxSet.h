//===- BoxSet.h - Sets of points that are boxes ---------------------------===//
//
// Tells verifiers which dimensions of an integer set are plain ranges of known length. Sets that
// couple dimensions, or that use mod and floordiv, are legal everywhere and simply unknown here.
//
//===----------------------------------------------------------------------===//

#ifndef KTIR_KTDP_BOXSET_H
#define KTIR_KTDP_BOXSET_H

#include "mlir/IR/IntegerSet.h"
#include <optional>

namespace mlir::ktdp {

/// Lengths of a set's dimensions, if the set is the product of one range a dimension. A length that
/// depends on a symbol is nullopt, and so is one that is not bounded on both sides. Returns nullopt
/// altogether if some constraint is not a bound of a single dimension.
std::optional<SmallVector<std::optional<int64_t>>> getBoxLengths(IntegerSet set);

/// Bounds of an integer, both inclusive; nullopt where there is none.
struct Interval {
  std::optional<int64_t> low, high;
};

/// An interval that holds the points of a set of one dimension, its symbols replaced by `symbols`.
/// Constraints that are not linear do not narrow it.
Interval getInterval(IntegerSet set, ArrayRef<AffineExpr> symbols);

} // namespace mlir::ktdp

#endif // KTIR_KTDP_BOXSET_H
