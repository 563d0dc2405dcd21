//===- BoxSet.cpp - Sets of points that are boxes -------------------------===//

#include "BoxSet.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::ktdp;

namespace {

/// `factor * d[dim] + rest >= 0` (or == 0); `rest` is nullopt if it holds symbols.
struct Bound {
  unsigned dim;
  int64_t factor;
  std::optional<int64_t> rest;
};

/// What is known of one dimension so far.
struct Range {
  std::optional<int64_t> low, high;
  bool symbolic = false;
};

} // namespace

/// Adds `scale * expr` to `row`, the factors of the dimensions, of the symbols and of 1. Fails if
/// the expression is not linear.
static LogicalResult addLinear(AffineExpr expr, int64_t scale, unsigned numDims,
                               MutableArrayRef<int64_t> row) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    row[dim.getPosition()] += scale;
    return success();
  }
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    row[numDims + symbol.getPosition()] += scale;
    return success();
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    row.back() += scale * constant.getValue();
    return success();
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add)
    return success(succeeded(addLinear(binary.getLHS(), scale, numDims, row)) &&
                   succeeded(addLinear(binary.getRHS(), scale, numDims, row)));
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS()); // constants stand on the right
  if (expr.getKind() != AffineExprKind::Mul || !factor)
    return failure();
  return addLinear(binary.getLHS(), scale * factor.getValue(), numDims, row);
}

/// Reads a constraint as a bound of one dimension; nullopt if it is anything else.
static std::optional<Bound> getBound(AffineExpr constraint, unsigned numDims, unsigned numSymbols) {
  SmallVector<int64_t> row(numDims + numSymbols + 1, 0);
  if (failed(addLinear(constraint, 1, numDims, row)))
    return std::nullopt;
  auto isUsed = [](int64_t factor) { return factor != 0; };
  auto dims = ArrayRef(row).take_front(numDims), symbols = ArrayRef(row).slice(numDims, numSymbols);
  if (llvm::count_if(dims, isUsed) != 1)
    return std::nullopt;
  unsigned dim = llvm::find_if(dims, isUsed) - dims.begin();
  bool symbolic = llvm::any_of(symbols, isUsed);
  if (row.back() == std::numeric_limits<int64_t>::min())
    return std::nullopt; // has no opposite
  return Bound{dim, row[dim], symbolic ? std::nullopt : std::optional(row.back())};
}

/// Narrows `range` by `bound`, which holds with >= or, if `isEquality`, with ==. Returns false if an
/// equality has no integer solution.
static bool narrow(Range &range, const Bound &bound, bool isEquality) {
  if (!bound.rest) {
    range.symbolic = true;
    return true;
  }
  if (isEquality && *bound.rest % bound.factor != 0)
    return false;
  if (isEquality || bound.factor > 0) {
    int64_t low = llvm::divideCeilSigned(-*bound.rest, bound.factor);
    range.low = range.low ? std::max(*range.low, low) : low;
  }
  if (isEquality || bound.factor < 0) {
    int64_t high = llvm::divideFloorSigned(*bound.rest, -bound.factor);
    range.high = range.high ? std::min(*range.high, high) : high;
  }
  return true;
}

std::optional<SmallVector<std::optional<int64_t>>> ktdp::getBoxLengths(IntegerSet set) {
  SmallVector<Range> ranges(set.getNumDims());
  for (auto [constraint, isEquality] : llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    std::optional<Bound> bound = getBound(constraint, set.getNumDims(), set.getNumSymbols());
    if (!bound || !narrow(ranges[bound->dim], *bound, isEquality))
      return std::nullopt;
  }
  return llvm::map_to_vector(ranges, [](const Range &range) -> std::optional<int64_t> {
    if (range.symbolic || !range.low || !range.high)
      return std::nullopt;
    return std::max<int64_t>(0, *range.high - *range.low + 1);
  });
}

Interval ktdp::getInterval(IntegerSet set, ArrayRef<AffineExpr> symbols) {
  AffineExpr dim = getAffineDimExpr(0, set.getContext());
  Range range;
  for (auto [constraint, isEquality] : llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    auto bound = getBound(constraint.replaceDimsAndSymbols(dim, symbols), 1, 0);
    if (bound && !narrow(range, *bound, isEquality))
      return {1, 0};
  }
  return {range.low, range.high};
}
