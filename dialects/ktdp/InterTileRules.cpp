//===- InterTileRules.cpp - Who may receive from whom ---------------------===//
//
// The rules about groups, by their numbers in docs/inter-tile-communication.md of
// torch-spyre/ktir-mlir-frontend. R5, disjoint sources of different consumers, is not among them: the
// examples beside that document share sources, and each consumer places them by its own list.
//
//===----------------------------------------------------------------------===//

#include "InterTile.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

/// A number that both lists hold.
static std::optional<int64_t> findCommon(const Numbers &a, const Numbers &b) {
  for (int64_t number : a)
    if (llvm::binary_search(b, number))
      return number;
  return std::nullopt;
}

/// A number of `part` that `whole` lacks.
static std::optional<int64_t> findMissing(const Numbers &part, const Numbers &whole) {
  for (int64_t number : part)
    if (!llvm::binary_search(whole, number))
      return number;
  return std::nullopt;
}

LogicalResult ktdp::verifyProducers(InterTileProduceOp op) {
  std::optional<int64_t> numTiles = getNumTiles(op);
  auto groups = enumerateGroups(op.getFuture().getType().getGroups().getValue());
  if (!groups)
    return success();
  SmallVector<std::pair<int64_t, Numbers>> seen;
  for (int64_t group : *groups) {
    auto tiles = enumerateSet(op.getProducerTilesPerGroup(), group, numTiles);
    if (!tiles)
      return success();
    for (const auto &[other, others] : seen)
      if (auto tile = findCommon(others, *tiles))
        return op.emitOpError("producer_tiles_per_group for groups ")
               << other << " and " << group << " are not disjoint: both hold tile " << *tile
               << "; a tile produces in one group (R1)";
    seen.emplace_back(group, std::move(*tiles));
  }
  return success();
}

namespace {

/// Checks all groups of one delivery.
class GroupCheck {
public:
  GroupCheck(const Delivery &delivery, ArrayRef<Group> groups)
      : op(delivery.op), hasDependency(delivery.dependency.has_value()), groups(groups) {}

  LogicalResult verify(Counts &counts);

private:
  LogicalResult verifyConsumers();
  LogicalResult verifySubset(const Group &group);
  LogicalResult verifyCoverage(const Group &group);
  LogicalResult verifySingleSource(const Group &group);
  LogicalResult verifyOneProducer(const Group &group);
  LogicalResult verifyReduce(const Group &group);
  LogicalResult verifySameProducers();
  LogicalResult countSources(std::optional<int64_t> &count);
  LogicalResult countConsumers(std::optional<int64_t> &count);

  Operation *op;
  bool hasDependency;
  ArrayRef<Group> groups;
};

} // namespace

/// Every tile receives in one group, or its result would have two values.
LogicalResult GroupCheck::verifyConsumers() {
  for (auto [number, group] : llvm::enumerate(groups))
    for (const Group &other : groups.take_front(number))
      if (auto tile = findCommon(other.consumers, group.consumers))
        return op->emitOpError("consumer_tiles_per_group for groups ")
               << other.number << " and " << group.number << " are not disjoint: both hold tile " << *tile
               << "; a tile consumes in one group";
  return success();
}

/// R3: sources produce in the group.
LogicalResult GroupCheck::verifySubset(const Group &group) {
  for (auto [consumer, sources] : llvm::zip_equal(group.consumers, *group.sources))
    if (auto tile = findMissing(sources, group.producers))
      return op->emitOpError("producer_dependency_per_consumer names tile ")
             << *tile << " for consumer tile " << consumer << " of group " << group.number
             << ", but the producers of that group are {" << group.producers << "} (R3)";
  return success();
}

/// R4: every producer serves somebody.
LogicalResult GroupCheck::verifyCoverage(const Group &group) {
  for (int64_t producer : group.producers)
    if (llvm::none_of(*group.sources,
                      [&](const Numbers &sources) { return llvm::binary_search(sources, producer); }))
      return op->emitOpError("producer_dependency_per_consumer for group ")
             << group.number << " does not cover producer tile " << producer
             << " (no consumer has it as a dependency); the consumers are {" << group.consumers << "} (R4)";
  return success();
}

/// R8 for routing: each consumer has one source.
LogicalResult GroupCheck::verifySingleSource(const Group &group) {
  if (!hasDependency && group.producers.size() > 1)
    return op->emitOpError("group ")
           << group.number << " has " << group.producers.size()
           << " producers, so producer_dependency_per_consumer is required to name each consumer tile's "
              "single source (R8)";
  for (auto [consumer, sources] : llvm::zip_equal(group.consumers, *group.sources))
    if (sources.size() != 1)
      return op->emitOpError("consumer tile ")
             << consumer << " of group " << group.number << " depends on " << sources.size()
             << " producers; inter_tile_consume delivers one contribution per consumer tile, so exactly one "
                "is required (R8)";
  return success();
}

/// R8 for a split: the group has one producer.
LogicalResult GroupCheck::verifyOneProducer(const Group &group) {
  if (group.producers.size() == 1 || group.consumers.empty())
    return success();
  return op->emitOpError("group ") << group.number << " has " << group.producers.size()
                                   << " producers; inter_tile_scatter splits the tile of exactly one (R8)";
}

/// R13 and R14: all producers receive, or one of them.
LogicalResult GroupCheck::verifyReduce(const Group &group) {
  if (auto tile = findMissing(group.consumers, group.producers))
    return op->emitOpError("consumer_tiles_per_group for group ")
           << group.number << " is not a subset of producer_tiles_per_group: tile " << *tile
           << " consumes, but the producers are {" << group.producers << "} (R13)";
  if (group.consumers.size() == group.producers.size() || group.consumers.size() == 1)
    return success();
  return op->emitOpError("reduce-to-subset is unsupported; only all-reduce and reduce-to-one are supported: "
                         "in group ")
         << group.number << " the consumers are {" << group.consumers << "} and the producers {"
         << group.producers << "} (R14)";
}

/// R7: groups have equally many producers.
LogicalResult GroupCheck::verifySameProducers() {
  for (const Group &group : groups.drop_front())
    if (group.producers.size() != groups.front().producers.size())
      return op->emitOpError("group ")
             << groups.front().number << " has " << groups.front().producers.size() << " producers and group "
             << group.number << " has " << group.producers.size()
             << "; joined tiles have one type, so all groups have equally many (R7)";
  return success();
}

/// R6: consumers have equally many sources. Sets `count` to that number.
LogicalResult GroupCheck::countSources(std::optional<int64_t> &count) {
  int64_t first = 0;
  for (const Group &group : groups)
    for (auto [consumer, sources] : llvm::zip_equal(group.consumers, *group.sources)) {
      int64_t size = sources.size();
      if (count && *count != size)
        return op->emitOpError("consumer tile ")
               << first << " has " << *count << " sources and consumer tile " << consumer << " has " << size
               << "; joined tiles have one type, so all consumers have equally many (R6)";
      if (!count)
        first = consumer;
      count = size;
    }
  return success();
}

/// A tile is cut into as many slices as its group has consumers. Sets `count` to that number.
LogicalResult GroupCheck::countConsumers(std::optional<int64_t> &count) {
  for (const Group &group : groups) {
    int64_t size = group.consumers.size();
    if (count && *count != size)
      return op->emitOpError("group ")
             << groups.front().number << " has " << *count << " consumers and group " << group.number
             << " has " << size << "; slices have one type, so all groups have equally many (R9)";
    count = size;
  }
  return success();
}

LogicalResult GroupCheck::verify(Counts &counts) {
  bool joins = isa<InterTileGatherOp, InterTileAllToAllOp>(op);
  bool splits = isa<InterTileReduceScatterOp, InterTileAllToAllOp, InterTileScatterOp>(op);
  bool known = llvm::all_of(groups, [](const Group &group) { return group.sources.has_value(); });
  if (groups.empty())
    return success();
  if (failed(verifyConsumers()) || (joins && failed(verifySameProducers())))
    return failure();
  for (const Group &group : groups) {
    if (isa<InterTileScatterOp>(op) && failed(verifyOneProducer(group)))
      return failure();
    if (isa<InterTileReduceOp>(op) && failed(verifyReduce(group)))
      return failure();
    if (!known)
      continue;
    if (hasDependency && failed(verifySubset(group)))
      return failure();
    if (isa<InterTileConsumeOp>(op) && failed(verifySingleSource(group)))
      return failure();
    if (hasDependency && failed(verifyCoverage(group)))
      return failure();
  }
  if (joins && known && failed(countSources(counts.sources)))
    return failure();
  return splits ? countConsumers(counts.consumers) : success();
}

LogicalResult ktdp::verifyGroups(const Delivery &delivery, Counts &counts) {
  auto produce = delivery.op->getOperand(0).getDefiningOp<InterTileProduceOp>();
  if (!produce)
    return success();
  auto groups = enumerateDelivery(delivery, produce.getProducerTilesPerGroup());
  if (!groups)
    return success();
  return GroupCheck(delivery, *groups).verify(counts);
}
