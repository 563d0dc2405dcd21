//===- InterTileOps.cpp - What the inter-tile ops must satisfy ------------===//
//
// What each op checks of itself; the rules that look at several tiles are in InterTileRules.cpp, those
// about shapes in InterTilePlacement.cpp.
//
//===----------------------------------------------------------------------===//

#include "InterTile.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

/// Checks that a set has the form `(i)[g]`.
static LogicalResult verifyTileSet(Operation *op, StringRef name, IntegerSet set) {
  if (set.getNumDims() != 1)
    return op->emitOpError("`") << name << "` must have exactly one dimension (the tile id i), not "
                                << set.getNumDims();
  if (set.getNumSymbols() != 1)
    return op->emitOpError("`") << name << "` must have exactly one symbol (the group index g), not "
                                << set.getNumSymbols();
  return success();
}

/// Checks that a dependency has the form `(p)[c]` or `(p)[c, g]`.
static LogicalResult verifyDependency(Operation *op, IntegerSet set) {
  if (set.getNumDims() != 1)
    return op->emitOpError("`producer_dependency_per_consumer` must have exactly one dimension (the "
                           "producer tile id p), not ")
           << set.getNumDims();
  if (set.getNumSymbols() != 1 && set.getNumSymbols() != 2)
    return op->emitOpError("`producer_dependency_per_consumer` must have one symbol (c) or two symbols "
                           "(c, g), not ")
           << set.getNumSymbols();
  return success();
}

/// The op as the rules see it.
template <typename Op> static Delivery getDelivery(Op op) {
  Delivery delivery{op, op.getFuture().getType(), op.getConsumerTilesPerGroup(), std::nullopt};
  if constexpr (!std::is_same_v<Op, InterTileScatterOp>)
    delivery.dependency = op.getProducerDependencyPerConsumer();
  return delivery;
}

/// Checks the sets, who receives from whom, and the results.
static LogicalResult verifyDelivery(const Delivery &delivery, const Placement &placement) {
  Counts counts;
  if (failed(verifyTileSet(delivery.op, "consumer_tiles_per_group", delivery.consumers)) ||
      (delivery.dependency && failed(verifyDependency(delivery.op, *delivery.dependency))) ||
      failed(verifyGroups(delivery, counts)))
    return failure();
  return verifyPlacement(delivery, placement, counts);
}

//===----------------------------------------------------------------------===//
// InterTileProduceOp
//===----------------------------------------------------------------------===//

LogicalResult InterTileProduceOp::verify() {
  Block &block = getBody().front();
  if (block.getNumArguments() != 1 || !block.getArgument(0).getType().isIndex())
    return emitOpError("region takes (") << block.getArgumentTypes() << "), expected (index), the group";
  if (failed(verifyTileSet(*this, "producer_tiles_per_group", getProducerTilesPerGroup())))
    return failure();
  return verifyProducers(*this);
}

/// Checks that the future goes to one op, and that this op delivers (R2).
static LogicalResult verifyUse(InterTileProduceOp op) {
  Value future = op.getFuture();
  if (!future.hasOneUse())
    return op.emitOpError("future result must have exactly one use, the op that delivers, but has ")
           << llvm::range_size(future.getUses()) << " (R2)";
  Operation *user = *future.getUsers().begin();
  if (!isa<InterTileConsumeOp, InterTileReduceOp, InterTileReduceScatterOp, InterTileGatherOp,
           InterTileAllToAllOp, InterTileScatterOp>(user))
    return op.emitOpError("future result is used by '")
           << user->getName() << "'; its one use is an op that delivers (R2)";
  return success();
}

/// Checks that a region ends in a terminator of the right kind, which yields the given types.
template <typename Yield>
static LogicalResult verifyYield(Operation *op, Block &block, StringRef name,
                                 ArrayRef<RankedTensorType> types) {
  auto yield = dyn_cast<Yield>(block.getTerminator());
  if (!yield)
    return op->emitOpError("region ends with '")
           << block.getTerminator()->getName() << "'; expected '" << Yield::getOperationName() << "'";
  if (yield.getValues().size() != types.size())
    return op->emitOpError() << name << " yields " << yield.getValues().size()
                             << " values but the future carries " << types.size() << " partial type(s)";
  for (auto [number, value, type] : llvm::enumerate(yield.getValues(), types))
    if (value.getType() != type)
      return op->emitOpError() << name << " operand #" << number << " type " << value.getType()
                               << " does not match future partial type " << type;
  return success();
}

LogicalResult InterTileProduceOp::verifyRegions() {
  if (failed(verifyYield<YieldPartialOp>(*this, getBody().front(), "yield_partial",
                                         getFuture().getType().getPartialTypes())))
    return failure();
  return verifyUse(*this);
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

/// Checks that there is an identity of each partial type (R11).
static LogicalResult verifyIdentity(Operation *op, OperandRange identity, ArrayRef<RankedTensorType> partials,
                                    StringRef what) {
  if (llvm::equal(identity.getTypes(), partials))
    return success();
  return op->emitOpError("failed to verify that identity types must match ")
         << what << ": identity is (" << identity.getTypes() << "), the partials are ("
         << ArrayRef<Type>(reinterpret_cast<const Type *>(partials.data()), partials.size()) << ") (R11)";
}

/// Checks the region that combines two tiles: its arguments, what it yields, and that it does nothing
/// else (R10).
static LogicalResult verifyCombiner(Operation *op, Block &block, ArrayRef<RankedTensorType> partials) {
  SmallVector<Type> expected(partials);
  llvm::append_range(expected, partials);
  if (!llvm::equal(block.getArgumentTypes(), expected))
    return op->emitOpError("region takes (") << block.getArgumentTypes() << "), expected (" << expected
                                             << "): the partials of the left side, then those of the right";
  for (Operation &nested : block)
    if (!isMemoryEffectFree(&nested))
      return op->emitOpError("combines with '")
             << nested.getName() << "', which may have a memory effect; a combiner is pure (R10)";
  return verifyYield<YieldReducedOp>(op, block, "yield_reduced", partials);
}

/// True if `result` is `partial` without some of its dimensions of size 1.
static bool isCollapsed(RankedTensorType partial, RankedTensorType result) {
  ArrayRef<int64_t> rest = result.getShape();
  for (int64_t size : partial.getShape()) {
    if (!rest.empty() && size == rest.front())
      rest = rest.drop_front();
    else if (size != 1)
      return false;
  }
  return rest.empty() && partial.getElementType() == result.getElementType();
}

static LogicalResult verifyReduceResults(InterTileReduceOp op) {
  auto partials = op.getFuture().getType().getPartialTypes();
  if (llvm::equal(op.getResultTypes(), partials))
    return success();
  bool collapsed = op.getCollapseUnitDims() && op.getNumResults() == partials.size() &&
                   llvm::all_of_zip(partials, op.getResultTypes(), [](auto partial, Type result) {
                     return isCollapsed(partial, cast<RankedTensorType>(result));
                   });
  if (collapsed)
    return success();
  return op.emitOpError("failed to verify that result types must match future partial types: results are (")
         << op.getResultTypes() << ") of " << op.getFuture().getType();
}

LogicalResult InterTileReduceOp::verify() {
  Delivery delivery = getDelivery(*this);
  if (failed(verifyReduceResults(*this)) ||
      failed(verifyIdentity(*this, getIdentity(), delivery.future.getPartialTypes(), "result types")) ||
      failed(verifyTileSet(*this, "consumer_tiles_per_group", delivery.consumers)) ||
      (delivery.dependency && failed(verifyDependency(*this, *delivery.dependency))))
    return failure();
  Counts counts;
  return verifyGroups(delivery, counts);
}

LogicalResult InterTileReduceOp::verifyRegions() {
  return verifyCombiner(*this, getCombiner().front(), getFuture().getType().getPartialTypes());
}

LogicalResult InterTileReduceScatterOp::verify() {
  Delivery delivery = getDelivery(*this);
  if (failed(verifyIdentity(*this, getIdentity(), delivery.future.getPartialTypes(), "future partial types")))
    return failure();
  return verifyDelivery(delivery, {{"scatter_dimensions", getScatterDimensions()}, {}});
}

LogicalResult InterTileReduceScatterOp::verifyRegions() {
  return verifyCombiner(*this, getCombiner().front(), getFuture().getType().getPartialTypes());
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

LogicalResult InterTileConsumeOp::verify() {
  if (!llvm::equal(getResultTypes(), getFuture().getType().getPartialTypes()))
    return emitOpError("failed to verify that result types must match future partial types: results are (")
           << getResultTypes() << ") of " << getFuture().getType();
  return verifyDelivery(getDelivery(*this), {});
}

LogicalResult InterTileGatherOp::verify() {
  return verifyDelivery(getDelivery(*this), {{}, {"gather_dimensions", getGatherDimensions()}});
}

LogicalResult InterTileAllToAllOp::verify() {
  ArrayRef<int64_t> split = getSplitDimensions(), concat = getConcatDimensions();
  bool disjoint = llvm::none_of(split, [&](int64_t dim) { return llvm::is_contained(concat, dim); });
  if (split != concat && !disjoint)
    return emitOpError("split_dimensions is [") << split << "] and concat_dimensions [" << concat
                                                << "]; the lists are equal or have no dimension in common";
  return verifyDelivery(getDelivery(*this), {{"split_dimensions", split}, {"concat_dimensions", concat}});
}

LogicalResult InterTileScatterOp::verify() {
  return verifyDelivery(getDelivery(*this), {{"scatter_dimensions", getScatterDimensions()}, {}});
}
