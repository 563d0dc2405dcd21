//===- TileSets.cpp - Which tiles take part in an exchange ----------------===//

#include "TileSets.h"
#include "BoxSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

/// A range longer than this is not searched: no device has that many cores.
static constexpr uint64_t longestRange = 1 << 14;

std::optional<int64_t> ktdp::getNumTiles(Operation *op) {
  for (; op; op = op->getParentOp()) {
    Attribute grid = op->getAttr("grid");
    if (!grid)
      continue;
    if (auto sizes = dyn_cast<DenseI64ArrayAttr>(grid))
      return llvm::product_of(sizes.asArrayRef());
    auto list = dyn_cast<ArrayAttr>(grid);
    if (!list || !llvm::all_of(list, llvm::IsaPred<IntegerAttr>))
      return std::nullopt;
    int64_t tiles = 1;
    for (auto size : list.getAsRange<IntegerAttr>())
      tiles *= size.getValue().getSExtValue();
    return tiles;
  }
  return std::nullopt;
}

/// True if `set` holds the integer `number`. Expressions without a value, such as a remainder of a
/// division by 0, hold nothing.
static bool contains(IntegerSet set, int64_t number, ArrayRef<AffineExpr> symbols) {
  AffineExpr dim = getAffineConstantExpr(number, set.getContext());
  for (auto [constraint, isEquality] : llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    auto value = dyn_cast<AffineConstantExpr>(constraint.replaceDimsAndSymbols(dim, symbols));
    if (!value || (isEquality ? value.getValue() != 0 : value.getValue() < 0))
      return false;
  }
  return true;
}

/// Enumerates a set of one dimension; `least` is the first number that is searched at all.
static std::optional<Numbers> enumerateBetween(IntegerSet set, ArrayRef<int64_t> symbols,
                                               std::optional<int64_t> least,
                                               std::optional<int64_t> greatest) {
  SmallVector<AffineExpr> values;
  for (int64_t symbol : symbols)
    values.push_back(getAffineConstantExpr(symbol, set.getContext()));
  Interval interval = getInterval(set, values);
  auto low = interval.low, high = interval.high;
  if (least)
    low = low ? std::max(*low, *least) : least;
  if (greatest)
    high = high ? std::min(*high, *greatest) : greatest;
  if (!low || !high)
    return std::nullopt;
  if (*low > *high)
    return Numbers();
  if (static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low) >= longestRange)
    return std::nullopt;
  Numbers numbers;
  for (int64_t number = *low; number <= *high; ++number)
    if (contains(set, number, values))
      numbers.push_back(number);
  return numbers;
}

std::optional<Numbers> ktdp::enumerateSet(IntegerSet set, ArrayRef<int64_t> symbols,
                                          std::optional<int64_t> numTiles) {
  return enumerateBetween(set, symbols, /*least=*/0,
                          numTiles ? std::optional<int64_t>(*numTiles - 1) : std::nullopt);
}

std::optional<Numbers> ktdp::enumerateGroups(IntegerSet groups) {
  return enumerateBetween(groups, {}, std::nullopt, std::nullopt);
}

/// The sources of each consumer of `group`.
static std::optional<SmallVector<Numbers>> enumerateSources(const Delivery &delivery, const Group &group,
                                                            std::optional<int64_t> numTiles) {
  if (!delivery.dependency)
    return SmallVector<Numbers>(group.consumers.size(), group.producers);
  SmallVector<Numbers> sources;
  for (int64_t consumer : group.consumers) {
    int64_t symbols[] = {consumer, group.number};
    auto numbers = enumerateSet(*delivery.dependency,
                                ArrayRef(symbols).take_front(delivery.dependency->getNumSymbols()), numTiles);
    if (!numbers)
      return std::nullopt;
    sources.push_back(std::move(*numbers));
  }
  return sources;
}

std::optional<SmallVector<Group>> ktdp::enumerateDelivery(const Delivery &delivery, IntegerSet producers) {
  std::optional<int64_t> numTiles = getNumTiles(delivery.op);
  std::optional<Numbers> numbers = enumerateGroups(delivery.future.getGroups().getValue());
  if (!numbers)
    return std::nullopt;
  SmallVector<Group> groups;
  for (int64_t number : *numbers) {
    auto produce = enumerateSet(producers, number, numTiles);
    auto consume = enumerateSet(delivery.consumers, number, numTiles);
    if (!produce || !consume)
      return std::nullopt;
    Group group{number, std::move(*produce), std::move(*consume), std::nullopt};
    group.sources = enumerateSources(delivery, group, numTiles);
    groups.push_back(std::move(group));
  }
  return groups;
}
