//===- Subscripts.h - Affine expressions of SSA values --------------------===//
//
// Parses lists such as `[%row + 2 * %i, %t floordiv 64]`. MLIR has a parser for these, but it takes
// values for equal if their names are, so it fails on `[%id#0, %id#1]`, the usual way to write the
// results of ktdp.get_compute_tile_id.
//
//===----------------------------------------------------------------------===//

#ifndef KTIR_KTDP_SUBSCRIPTS_H
#define KTIR_KTDP_SUBSCRIPTS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::ktdp {

/// A list of expressions, and the values that its map is applied to: those of the dimensions in
/// order of appearance, then those written `symbol(%v)`.
struct Subscripts {
  AffineMap map;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
};

/// True if both name the same SSA value.
bool isSameOperand(const OpAsmParser::UnresolvedOperand &a, const OpAsmParser::UnresolvedOperand &b);

/// Parses one expression.
ParseResult parseSubscript(OpAsmParser &parser, Subscripts &result);

/// Parses expressions, separated by commas, between the two sides of `delimiter`.
ParseResult parseSubscripts(OpAsmParser &parser, OpAsmParser::Delimiter delimiter, Subscripts &result);

} // namespace mlir::ktdp

#endif // KTIR_KTDP_SUBSCRIPTS_H
