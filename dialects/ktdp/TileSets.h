//===- TileSets.h - Which tiles take part in an exchange ------------------===//
//
// Enumerates the sets of the inter-tile ops. What cannot be enumerated is unknown, never wrong: the
// verifiers then leave the rules that need it to those who know more.
//
//===----------------------------------------------------------------------===//

#ifndef KTIR_KTDP_TILESETS_H
#define KTIR_KTDP_TILESETS_H

#include "ktdp/Ktdp.h"
#include <optional>

namespace mlir::ktdp {

/// Numbers of tiles or groups, ascending.
using Numbers = SmallVector<int64_t>;

/// Number of tiles of the grid of the function around `op`; nullopt without one.
std::optional<int64_t> getNumTiles(Operation *op);

/// The integers of a set of one dimension for the given values of its symbols. With `numTiles` the
/// search is among 0 to numTiles - 1, otherwise among the numbers from 0 that the set bounds. Returns
/// nullopt if that range is open or very long.
std::optional<Numbers> enumerateSet(IntegerSet set, ArrayRef<int64_t> symbols,
                                    std::optional<int64_t> numTiles);

/// The groups of a future.
std::optional<Numbers> enumerateGroups(IntegerSet groups);

/// Who gives and takes in one group.
struct Group {
  int64_t number;
  Numbers producers, consumers;
  /// The sources of each consumer, as the dependency names them; nullopt if it cannot be enumerated.
  /// Without a dependency, all producers.
  std::optional<SmallVector<Numbers>> sources;
};

/// An op that takes a future, as the rules see it.
struct Delivery {
  Operation *op;
  TileFutureType future;
  IntegerSet consumers;
  std::optional<IntegerSet> dependency;
};

/// All groups of a delivery whose future is produced in sight; nullopt if a set stays unknown.
std::optional<SmallVector<Group>> enumerateDelivery(const Delivery &delivery, IntegerSet producers);

} // namespace mlir::ktdp

#endif // KTIR_KTDP_TILESETS_H
