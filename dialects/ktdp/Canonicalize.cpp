//===- Canonicalize.cpp - Simpler forms of the ktdp ops -------------------===//

#include "ktdp/Ktdp.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

/// The value of a constant that may stand in a mixed list; nullopt for anything else.
static std::optional<int64_t> getEntry(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  int64_t entry = number.getSExtValue();
  return ShapedType::isDynamic(entry) ? std::nullopt : std::optional(entry);
}

namespace {

/// A mixed list whose constant values are integers. `numbers` tells, for each value there was, the
/// integer it became.
struct FoldedList {
  SmallVector<int64_t> entries;
  SmallVector<Value> values;
  SmallVector<std::optional<int64_t>> numbers;

  FoldedList(ArrayRef<int64_t> oldEntries, ValueRange oldValues, bool allowNegative) : entries(oldEntries) {
    auto value = oldValues.begin();
    for (int64_t &entry : entries) {
      if (!ShapedType::isDynamic(entry))
        continue;
      std::optional<int64_t> number = getEntry(*value);
      if (number && *number < 0 && !allowNegative)
        number.reset(); // no legal size; the machine reports it where it runs
      numbers.push_back(number);
      if (number)
        entry = *number;
      else
        values.push_back(*value);
      ++value;
    }
  }

  bool changes() const {
    return llvm::any_of(numbers, [](auto number) { return number.has_value(); });
  }
};

/// Sizes and strides that are constants become integers. The symbols of the coordinate set are the sizes
/// that are values, so those of sizes that no longer are become numbers in it.
struct FoldConstantExtents : OpRewritePattern<ConstructMemoryViewOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConstructMemoryViewOp op, PatternRewriter &rewriter) const override {
    FoldedList sizes(op.getStaticSizes(), op.getSizes(), /*allowNegative=*/false);
    FoldedList strides(op.getStaticStrides(), op.getStrides(), /*allowNegative=*/true);
    if ((!sizes.changes() && !strides.changes()) || !fitsType(op, sizes.entries))
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.getSizesMutable().assign(sizes.values);
      op.getStridesMutable().assign(strides.values);
      op.setStaticSizes(sizes.entries);
      op.setStaticStrides(strides.entries);
      if (std::optional<IntegerSet> set = op.getCoordinateSet())
        op.setCoordinateSet(replaceSymbols(*set, sizes.numbers));
    });
    return success();
  }

private:
  /// A size that contradicts the view's type stays a value: the promise is broken when it runs.
  static bool fitsType(ConstructMemoryViewOp op, ArrayRef<int64_t> sizes) {
    return llvm::all_of_zip(op.getResult().getType().getShape(), sizes, [](int64_t dim, int64_t size) {
      return ShapedType::isDynamic(dim) || ShapedType::isDynamic(size) || dim == size;
    });
  }

  static IntegerSet replaceSymbols(IntegerSet set, ArrayRef<std::optional<int64_t>> numbers) {
    SmallVector<AffineExpr> dims, symbols;
    for (unsigned dim = 0; dim < set.getNumDims(); ++dim)
      dims.push_back(getAffineDimExpr(dim, set.getContext()));
    unsigned kept = 0;
    for (std::optional<int64_t> number : numbers.take_front(set.getNumSymbols()))
      symbols.push_back(number ? getAffineConstantExpr(*number, set.getContext())
                               : getAffineSymbolExpr(kept++, set.getContext()));
    return set.replaceDimsAndSymbols(dims, symbols, set.getNumDims(), kept);
  }
};

} // namespace

void ConstructMemoryViewOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldConstantExtents>(context);
}
