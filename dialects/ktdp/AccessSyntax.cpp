//===- AccessSyntax.cpp - How access tiles are written --------------------===//
//
// The custom assembly of the two ops that construct access tiles. What they must satisfy is checked
// in AccessOps.cpp, so the parsers look at syntax only.
//
//===----------------------------------------------------------------------===//

#include "Subscripts.h"
#include "ktdp/Ktdp.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

using Operand = OpAsmParser::UnresolvedOperand;

//===----------------------------------------------------------------------===//
// Shared pieces
//===----------------------------------------------------------------------===//

/// Parses the optional `symbols(%a, ..)`.
static ParseResult parseSymbols(OpAsmParser &parser, SmallVectorImpl<Operand> &symbols) {
  if (failed(parser.parseOptionalKeyword("symbols")))
    return success();
  return parser.parseOperandList(symbols, OpAsmParser::Delimiter::Paren);
}

static void printSymbols(OpAsmPrinter &printer, OperandRange symbols) {
  if (!symbols.empty())
    printer << " symbols(" << symbols << ')';
}

/// Sets the inherent attribute that says how operands are grouped.
static void addSegmentSizes(OpAsmParser &parser, OperationState &result, ArrayRef<int32_t> sizes) {
  result.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr(sizes));
}

static int32_t count(ArrayRef<Operand> operands) { return static_cast<int32_t>(operands.size()); }

//===----------------------------------------------------------------------===//
// ConstructAccessTileOp
//===----------------------------------------------------------------------===//

ParseResult ConstructAccessTileOp::parse(OpAsmParser &parser, OperationState &result) {
  Operand base;
  Subscripts subscripts;
  SmallVector<Operand> symbols;
  Type baseType;
  AccessTileType tileType;
  Type indexType = parser.getBuilder().getIndexType();
  if (parser.parseOperand(base) || parseSubscripts(parser, OpAsmParser::Delimiter::Square, subscripts) ||
      parseSymbols(parser, symbols) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(baseType) || parser.parseArrow() || parser.parseCustomTypeWithFallback(tileType))
    return failure();
  result.addTypes(tileType);
  result.addAttribute("base_map", AffineMapAttr::get(subscripts.map));
  addSegmentSizes(parser, result, {1, count(subscripts.operands), count(symbols)});
  return failure(parser.resolveOperand(base, baseType, result.operands) ||
                 parser.resolveOperands(subscripts.operands, indexType, result.operands) ||
                 parser.resolveOperands(symbols, indexType, result.operands));
}

void ConstructAccessTileOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getBase() << '[';
  printer.printAffineMapOfSSAIds(getBaseMapAttr(), getIndices());
  printer << ']';
  printSymbols(printer, getSymbolOperands());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getBaseMapAttrName(), getOperandSegmentSizesAttrName()});
  printer << " : " << getBase().getType() << " -> " << getResult().getType();
}

//===----------------------------------------------------------------------===//
// ConstructIndirectAccessTileOp
//===----------------------------------------------------------------------===//

namespace {

/// One subscript as written: expressions, and the view they read from if it is indirect.
struct Subscript : Subscripts {
  std::optional<Operand> view;
};

} // namespace

/// Parses `ind(%view[..])` or an expression. The parentheses around the latter, which the printer always
/// writes, are then part of the expression.
static ParseResult parseAnySubscript(OpAsmParser &parser, Subscript &subscript) {
  if (failed(parser.parseOptionalKeyword("ind")))
    return parseSubscript(parser, subscript);
  return failure(parser.parseLParen() || parser.parseOperand(subscript.view.emplace()) ||
                 parseSubscripts(parser, OpAsmParser::Delimiter::Square, subscript) || parser.parseRParen());
}

/// The operands of all subscripts that are not variables, each once, in order of appearance.
static SmallVector<Operand> getCaptured(ArrayRef<Subscript> subscripts, ArrayRef<Operand> variables) {
  SmallVector<Operand> captured;
  for (const Subscript &subscript : subscripts)
    for (const Operand &operand : subscript.operands) {
      auto isIt = [&](const Operand &other) { return isSameOperand(operand, other); };
      if (!llvm::any_of(variables, isIt) && !llvm::any_of(captured, isIt))
        captured.push_back(operand);
    }
  return captured;
}

/// The subscript's map over `domain`, a list that contains all its operands. Symbols become
/// dimensions: the op does not tell them apart.
static AffineMap widen(MLIRContext *context, const Subscript &subscript, ArrayRef<Operand> domain) {
  SmallVector<AffineExpr> replacements;
  for (const Operand &operand : subscript.operands) {
    const auto *it =
        llvm::find_if(domain, [&](const Operand &other) { return isSameOperand(operand, other); });
    replacements.push_back(getAffineDimExpr(it - domain.begin(), context));
  }
  ArrayRef<AffineExpr> all = replacements;
  unsigned numDims = subscript.map.getNumDims();
  return subscript.map.replaceDimsAndSymbols(all.take_front(numDims), all.drop_front(numDims), domain.size(),
                                             /*numResultSyms=*/0);
}

/// Adds the region whose block arguments are the variables.
static void addVariables(OpAsmParser &parser, OperationState &result, unsigned number) {
  Block &block = result.addRegion()->emplaceBlock();
  Location loc = parser.getEncodedSourceLoc(parser.getNameLoc());
  for (unsigned i = 0; i < number; ++i)
    block.addArgument(parser.getBuilder().getIndexType(), loc);
}

ParseResult ConstructIndirectAccessTileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<Operand> variables, symbols, views;
  SmallVector<Subscript> subscripts;
  SmallVector<Type> types;
  Operand base;
  AccessTileType tileType;
  auto parseOne = [&] { return parseAnySubscript(parser, subscripts.emplace_back()); };
  if (parser.parseKeyword("intermediate_variables") ||
      parser.parseOperandList(variables, OpAsmParser::Delimiter::Paren) || parser.parseOperand(base) ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseOne) ||
      parseSymbols(parser, symbols) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  SMLoc typesLoc = parser.getCurrentLocation();
  if (parser.parseColonTypeList(types) || parser.parseArrow() || parser.parseCustomTypeWithFallback(tileType))
    return failure();

  SmallVector<Operand> captured = getCaptured(subscripts, variables);
  SmallVector<Operand> domain = captured;
  llvm::append_range(domain, variables);
  SmallVector<bool> kinds;
  SmallVector<AffineMap> maps;
  for (const Subscript &subscript : subscripts) {
    kinds.push_back(subscript.view.has_value());
    maps.push_back(widen(parser.getContext(), subscript, domain));
    if (subscript.view)
      views.push_back(*subscript.view);
  }
  if (types.size() != views.size() + 1)
    return parser.emitError(typesLoc) << "has " << types.size() << " types, expected " << views.size() + 1
                                      << ": that of the base, then one for each ind(..)";

  Builder &builder = parser.getBuilder();
  result.addAttribute("per_dim_subscript_kinds", builder.getBoolArrayAttr(kinds));
  result.addAttribute("per_dim_subscript_maps", builder.getAffineMapArrayAttr(maps));
  addSegmentSizes(parser, result, {1, count(views), count(captured), count(symbols)});
  addVariables(parser, result, variables.size());
  ensureTerminator(*result.regions.front(), builder, result.location);
  result.addTypes(tileType);
  Type indexType = builder.getIndexType();
  return failure(parser.resolveOperand(base, types.front(), result.operands) ||
                 parser.resolveOperands(views, ArrayRef(types).drop_front(), typesLoc, result.operands) ||
                 parser.resolveOperands(captured, indexType, result.operands) ||
                 parser.resolveOperands(symbols, indexType, result.operands));
}

void ConstructIndirectAccessTileOp::print(OpAsmPrinter &printer) {
  printer << " intermediate_variables(";
  llvm::interleaveComma(getIntermediateVariables(), printer);
  printer << ") " << getBase() << '[';
  SmallVector<Value> domain(getCapturedVariables());
  llvm::append_range(domain, getIntermediateVariables());
  auto view = getIndirectMemrefs().begin();
  for (auto [dim, map] : llvm::enumerate(getPerDimSubscriptMaps())) {
    printer << (dim ? ", " : "");
    if (isIndirect(dim))
      printer << "ind(" << *view++ << '[';
    else
      printer << '(';
    printer.printAffineMapOfSSAIds(cast<AffineMapAttr>(map), domain);
    printer << (isIndirect(dim) ? "])" : ")");
  }
  printer << ']';
  printSymbols(printer, getSymbolOperands());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getPerDimSubscriptKindsAttrName(), getPerDimSubscriptMapsAttrName(),
                                 getOperandSegmentSizesAttrName()});
  printer << " : " << getBase().getType();
  for (Type type : getIndirectMemrefs().getTypes())
    printer << ", " << type;
  printer << " -> " << getResult().getType();
}
