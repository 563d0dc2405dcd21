//===- Checks.h - What the verifiers of several sdf ops share -------------===//

#ifndef KTIR_SDF_CHECKS_H
#define KTIR_SDF_CHECKS_H

#include "sdf/Sdf.h"

namespace mlir::sdf {

/// Number of cores of the program around `op`; nullopt without one.
std::optional<int64_t> getNumCores(Operation *op);

/// Checks that each buffer ends inside the scratchpad of the module around `op`.
LogicalResult verifyInScratchpad(Operation *op, ArrayRef<BufferAttr> buffers);

/// Checks that two buffers share no byte. `first` and `second` say what they are to the op.
LogicalResult verifyDisjoint(Operation *op, StringRef first, BufferAttr a, StringRef second, BufferAttr b);

/// A list that mixes integers and values: `entries` holds kDynamic where a value stands.
struct MixedList {
  StringRef name;
  ArrayRef<int64_t> entries;
  ValueRange values;
};

/// Checks that each list has `rank` entries, where `whose` says what has that rank, and as many
/// values as it leaves open.
LogicalResult verifyMixedLists(Operation *op, ArrayRef<MixedList> lists, int64_t rank, StringRef whose);

/// Checks a list of extents that may be left out: one entry for each of `limits`, those that are known
/// between 0 and the limit.
LogicalResult verifyExtents(Operation *op, const MixedList &list, ArrayRef<int64_t> limits, StringRef whose);

} // namespace mlir::sdf

#endif // KTIR_SDF_CHECKS_H
