//===- AccessOps.cpp - What access tiles, loads and stores must satisfy ---===//

#include "BoxSet.h"
#include "ktdp/Ktdp.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

//===----------------------------------------------------------------------===//
// Checks that both kinds of access tile share
//===----------------------------------------------------------------------===//

/// The base as a type with a rank, or null after an error.
static ShapedType getRankedBase(Operation *op, Value base) {
  auto type = cast<ShapedType>(base.getType());
  if (type.hasRank())
    return type;
  op->emitOpError("base is ") << type << "; coordinates need a rank, as in tensor<?x64xf16>";
  return {};
}

/// Checks that `order` permutes the dimensions of `set` and that `symbols` binds its symbols.
static LogicalResult verifySetAndOrder(Operation *op, StringRef setName, IntegerSet set, StringRef orderName,
                                       AffineMap order, ValueRange symbols) {
  if (order.getNumSymbols() != 0 || !order.isPermutation())
    return op->emitOpError() << orderName << " is " << AffineMapAttr::get(order)
                             << "; expected a permutation of the dimensions of " << setName;
  if (order.getNumDims() != set.getNumDims())
    return op->emitOpError() << orderName << " has " << order.getNumDims() << " dimensions, but " << setName
                             << " has " << set.getNumDims();
  if (symbols.size() != set.getNumSymbols())
    return op->emitOpError() << setName << " has " << set.getNumSymbols() << " symbols, but "
                             << symbols.size() << " values are bound; write symbols(..) with one "
                             << "value a symbol";
  return success();
}

/// True if the tile has one coordinate in some dimensions of the box and all of them in the others.
static bool isPartOfBox(ArrayRef<std::optional<int64_t>> lengths, AccessTileType tile) {
  return llvm::all_of_zip(tile.getShape(), lengths, [](int64_t size, std::optional<int64_t> length) {
    return length && (size == *length || (size == 1 && *length > 1));
  });
}

/// Checks the tile's shape against the set it enumerates. The dimensions of the tile may be those
/// of the set in any order: public KTIR is written with both readings of the order map.
static LogicalResult verifyTileShape(Operation *op, StringRef setName, IntegerSet set, AccessTileType tile) {
  if (tile.getRank() != set.getNumDims())
    return op->emitOpError("tile ") << tile << " has rank " << tile.getRank() << ", but " << setName
                                    << " has " << set.getNumDims() << " dimensions";
  auto lengths = getBoxLengths(set);
  if (!lengths)
    return success();
  SmallVector<int64_t> known;
  for (std::optional<int64_t> length : *lengths)
    if (length)
      known.push_back(*length);
  SmallVector<int64_t> unmatched;
  for (int64_t size : tile.getShape()) {
    auto *match = llvm::find(known, size);
    if (match != known.end())
      known.erase(match);
    else if (!ShapedType::isDynamic(size))
      unmatched.push_back(size);
  }
  size_t open = llvm::count(*lengths, std::nullopt);
  if (unmatched.size() <= open)
    return success();
  // A public test types two rows as a tile of one. That parses; it does not run.
  bool isPart = isPartOfBox(*lengths, tile);
  // Not op->emitWarning(): that prints the op, which verifies it again.
  InFlightDiagnostic diagnostic = isPart ? emitWarning(op->getLoc()) : emitError(op->getLoc());
  diagnostic << '\'' << op->getName() << "' op tile " << tile << " does not fit " << setName
             << ", which is a box of ";
  llvm::interleave(
      *lengths, [&](auto length) { length ? diagnostic << *length : diagnostic << '?'; },
      [&] { diagnostic << " x "; });
  diagnostic << " points; expected these sizes, in any order";
  return isPart ? success() : failure();
}

//===----------------------------------------------------------------------===//
// ConstructAccessTileOp
//===----------------------------------------------------------------------===//

LogicalResult ConstructAccessTileOp::verify() {
  ShapedType base = getRankedBase(*this, getBase());
  if (!base)
    return failure();
  IntegerSet set = getAccessTileSet();
  AffineMap subscripts = getBaseMap();
  if (subscripts.getNumInputs() != getIndices().size())
    return emitOpError("base_map takes ")
           << subscripts.getNumInputs() << " values, but " << getIndices().size() << " are given";
  if (subscripts.getNumResults() != base.getRank())
    return emitOpError("has ") << subscripts.getNumResults() << " subscripts, but the base " << base
                               << " has rank " << base.getRank();
  if (set.getNumDims() != base.getRank())
    return emitOpError("access_tile_set has ")
           << set.getNumDims() << " dimensions, but the base " << base << " has rank " << base.getRank();
  if (failed(verifySetAndOrder(*this, "access_tile_set", set, "access_tile_order", getAccessTileOrder(),
                               getSymbolOperands())))
    return failure();
  return verifyTileShape(*this, "access_tile_set", set, getResult().getType());
}

//===----------------------------------------------------------------------===//
// ConstructIndirectAccessTileOp
//===----------------------------------------------------------------------===//

/// Checks that the two attributes that hold subscripts are well formed, as far as the accessors of
/// the op rely on it.
static LogicalResult verifySubscriptAttributes(ConstructIndirectAccessTileOp op, int64_t rank) {
  ArrayAttr kinds = op.getPerDimSubscriptKinds(), maps = op.getPerDimSubscriptMaps();
  if (!llvm::all_of(kinds, llvm::IsaPred<BoolAttr>))
    return op.emitOpError("per_dim_subscript_kinds is ") << kinds << "; expected booleans";
  if (!llvm::all_of(maps, llvm::IsaPred<AffineMapAttr>))
    return op.emitOpError("per_dim_subscript_maps is ") << maps << "; expected affine maps";
  if (kinds.size() != maps.size())
    return op.emitOpError("per_dim_subscript_kinds has ")
           << kinds.size() << " entries and per_dim_subscript_maps " << maps.size()
           << "; expected one each a dimension of the base";
  if (static_cast<int64_t>(maps.size()) != rank)
    return op.emitOpError("has ") << maps.size() << " subscripts, but the base " << op.getBase().getType()
                                  << " has rank " << rank;
  return success();
}

/// Checks that the subscript of `dim` yields one coordinate, or one place in `view` if there is one.
static LogicalResult verifySubscript(ConstructIndirectAccessTileOp op, unsigned dim, Value view) {
  AffineMap map = op.getSubscript(dim);
  unsigned inputs = op.getCapturedVariables().size() + op.getIntermediateVariables().size();
  if (map.getNumSymbols() != 0 || map.getNumDims() != inputs)
    return op.emitOpError("subscript ")
           << dim << " is " << AffineMapAttr::get(map) << "; expected " << inputs
           << " dimensions and no symbol: the captured values, then the variables";
  if (!view) {
    if (map.getNumResults() != 1)
      return op.emitOpError("subscript ")
             << dim << " has " << map.getNumResults() << " expressions; a direct one has one";
    return success();
  }
  auto type = cast<MemRefType>(view.getType());
  if (!type.getElementType().isIntOrIndex())
    return op.emitOpError("subscript ") << dim << " reads from " << type << "; expected a view of integers";
  if (map.getNumResults() != type.getRank())
    return op.emitOpError("subscript ")
           << dim << " has " << map.getNumResults() << " expressions, but the view " << type << " has rank "
           << type.getRank();
  return success();
}

LogicalResult ConstructIndirectAccessTileOp::verify() {
  ShapedType base = getRankedBase(*this, getBase());
  if (!base || failed(verifySubscriptAttributes(*this, base.getRank())))
    return failure();
  IntegerSet set = getVariablesSpaceSet();
  auto variables = getIntermediateVariables();
  if (!llvm::all_of(variables, [](Value variable) { return variable.getType().isIndex(); }))
    return emitOpError("has an intermediate variable that is not an index");
  if (variables.size() != set.getNumDims())
    return emitOpError("has ") << variables.size() << " intermediate variables, but variables_space_set has "
                               << set.getNumDims() << " dimensions";
  size_t indirect = llvm::count_if(getPerDimSubscriptKinds().getAsRange<BoolAttr>(),
                                   [](BoolAttr kind) { return kind.getValue(); });
  if (indirect != getIndirectMemrefs().size())
    return emitOpError("has ") << indirect << " indirect subscripts, but " << getIndirectMemrefs().size()
                               << " views to read from";
  auto view = getIndirectMemrefs().begin();
  for (unsigned dim = 0; dim < base.getRank(); ++dim)
    if (failed(verifySubscript(*this, dim, isIndirect(dim) ? *view++ : Value())))
      return failure();
  if (failed(verifySetAndOrder(*this, "variables_space_set", set, "variables_space_order",
                               getVariablesSpaceOrder(), getSymbolOperands())))
    return failure();
  return verifyTileShape(*this, "variables_space_set", set, getResult().getType());
}

//===----------------------------------------------------------------------===//
// LoadOp and StoreOp
//===----------------------------------------------------------------------===//

/// The view or tensor under a tile, if the op that constructed the tile is in sight.
static Value getBaseOf(Value tile) {
  if (auto op = tile.getDefiningOp<ConstructAccessTileOp>())
    return op.getBase();
  if (auto op = tile.getDefiningOp<ConstructIndirectAccessTileOp>())
    return op.getBase();
  return {};
}

/// Checks that a tensor can hold the elements at a tile's coordinates; `rule` is what shapes are to satisfy.
static LogicalResult verifyMove(Operation *op, Value tile, Type data, StringRef rule) {
  auto tensor = dyn_cast<RankedTensorType>(data);
  if (!tensor)
    return op->emitOpError("moves ") << data << "; expected a tensor with a rank";
  auto tileType = cast<AccessTileType>(tile.getType());
  if (failed(verifyCompatibleShape(tileType.getShape(), tensor.getShape())))
    return op->emitOpError() << rule << ": moves " << tensor << " with the tile " << tileType;
  Value base = getBaseOf(tile);
  if (!base)
    return success();
  auto baseType = cast<ShapedType>(base.getType());
  if (tensor.getElementType() != baseType.getElementType())
    return op->emitOpError("moves ") << tensor << ", but the tile addresses " << baseType
                                     << "; both have the same element type";
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyMove(*this, getAccessTile(), getResult().getType(),
                    "access tile shape must match result tensor shape");
}

LogicalResult StoreOp::verify() {
  return verifyMove(*this, getAccessTile(), getDataTile().getType(),
                    "data tile shape must match access tile shape");
}
