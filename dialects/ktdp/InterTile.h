//===- InterTile.h - What the files of the inter-tile ops share -----------===//

#ifndef KTIR_KTDP_INTERTILE_H
#define KTIR_KTDP_INTERTILE_H

#include "TileSets.h"
#include "ktdp/Ktdp.h"

namespace mlir::ktdp {

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Parses `(: T, ..)? -> future`.
ParseResult parseProducedType(OpAsmParser &parser, Type &future);
void printProducedType(OpAsmPrinter &printer, Operation *op, Type future);

/// Lets bytecode hold futures.
void addBytecodeInterface(KtdpDialect &dialect);

//===----------------------------------------------------------------------===//
// Rules about groups
//===----------------------------------------------------------------------===//

/// How many tiles each consumer receives, and how many consumers share; nullopt where it is not known
/// or not the same everywhere.
struct Counts {
  std::optional<int64_t> sources, consumers;
};

/// Checks the producers of a future: groups are disjoint (R1).
LogicalResult verifyProducers(InterTileProduceOp op);

/// Checks who receives from whom: R3 to R8, R13 and R14, those that hold for the op. Sets `counts`.
LogicalResult verifyGroups(const Delivery &delivery, Counts &counts);

//===----------------------------------------------------------------------===//
// Rules about types
//===----------------------------------------------------------------------===//

/// Dimensions of a partial type with the name of the attribute that lists them; no name, no list.
struct DimensionList {
  StringRef name;
  ArrayRef<int64_t> dims;
};

/// How results follow from partial types: cut along one list, joined along the other.
struct Placement {
  DimensionList split, concat;
};

/// Checks the lists and each result against its partial type (R9, R12), as far as the counts are known.
LogicalResult verifyPlacement(const Delivery &delivery, const Placement &placement, const Counts &counts);

} // namespace mlir::ktdp

#endif // KTIR_KTDP_INTERTILE_H
