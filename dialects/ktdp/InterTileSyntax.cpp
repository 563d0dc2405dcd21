//===- InterTileSyntax.cpp - How the inter-tile ops are written -----------===//
//
// The ops that deliver are written alike:
//
//   `(` future `)` clause (`,` clause)* attr-dict `:` future-type `->` types region?
//   clause ::= name `=` set | name `=` `[` integers `]` | `identity` `(` values `:` types `)`
//
// What they must satisfy is checked elsewhere; the parsers look at syntax only.
//
//===----------------------------------------------------------------------===//

#include "InterTile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

using Operand = OpAsmParser::UnresolvedOperand;

static constexpr StringLiteral consumersName = "consumer_tiles_per_group";
static constexpr StringLiteral dependencyName = "producer_dependency_per_consumer";
static constexpr StringLiteral identityName = "identity";
static constexpr StringLiteral collapseName = "collapse_unit_dims";

//===----------------------------------------------------------------------===//
// Production
//===----------------------------------------------------------------------===//

ParseResult ktdp::parseProducedType(OpAsmParser &parser, Type &future) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> stated;
  TileFutureType type;
  if (succeeded(parser.parseOptionalColon()) && parser.parseTypeList(stated))
    return failure();
  if (parser.parseArrow() || parser.parseCustomTypeWithFallback(type))
    return failure();
  future = type;
  if (!stated.empty() && !llvm::equal(stated, type.getPartialTypes()))
    return parser.emitError(loc) << "the types before '->' are not the partial types of " << type;
  return success();
}

void ktdp::printProducedType(OpAsmPrinter &printer, Operation *, Type future) {
  printer << "-> ";
  printer.printStrippedAttrOrType(cast<TileFutureType>(future));
}

//===----------------------------------------------------------------------===//
// Delivery
//===----------------------------------------------------------------------===//

namespace {

/// What one op has of the clauses, in the order in which they are printed.
struct Form {
  ArrayRef<StringRef> dimensions;
  bool dependency = true;
  bool fold = false;

  SmallVector<StringRef> getNames() const {
    SmallVector<StringRef> names{consumersName};
    llvm::append_range(names, dimensions);
    if (dependency)
      names.push_back(dependencyName);
    if (fold)
      names.push_back(identityName);
    return names;
  }
};

/// The operands of `identity(..)`, with their types.
struct Identity {
  SmallVector<Operand> operands;
  SmallVector<Type> types;
  SMLoc loc;
};

} // namespace

/// Parses what follows the name of a clause.
static ParseResult parseClauseValue(OpAsmParser &parser, OperationState &result, StringRef name,
                                    Identity &identity) {
  if (name == identityName) {
    identity.loc = parser.getCurrentLocation();
    return failure(parser.parseLParen() || parser.parseOperandList(identity.operands) ||
                   parser.parseColonTypeList(identity.types) || parser.parseRParen());
  }
  if (parser.parseEqual())
    return failure();
  if (name.ends_with("_dimensions")) {
    DenseI64ArrayAttr list;
    if (parser.parseCustomAttributeWithFallback(list))
      return failure();
    result.addAttribute(name, list);
    return success();
  }
  IntegerSetAttr set;
  if (parser.parseAttribute(set))
    return failure();
  result.addAttribute(name, set);
  return success();
}

/// Parses all clauses, each at most once, in any order; only the dependency may be missing.
static ParseResult parseClauses(OpAsmParser &parser, OperationState &result, const Form &form,
                                Identity &identity) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringRef> names = form.getNames(), seen;
  auto parseOne = [&]() -> ParseResult {
    SMLoc clauseLoc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    if (!llvm::is_contained(names, name))
      return parser.emitError(clauseLoc)
             << "unknown clause '" << name << "'; expected " << llvm::join(names, ", ");
    if (llvm::is_contained(seen, name))
      return parser.emitError(clauseLoc) << "'" << name << "' is given twice";
    seen.push_back(name);
    return parseClauseValue(parser, result, name, identity);
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  for (StringRef name : names)
    if (name != dependencyName && !llvm::is_contained(seen, name))
      return parser.emitError(loc) << "'" << name << "' is missing; expected " << llvm::join(names, ", ");
  return success();
}

/// True if the text of a future type lists its partial types without parentheses.
static bool isBareFuture(StringRef text) {
  StringRef inside = text.drop_until([](char letter) { return letter == '<'; });
  return !inside.empty() && !inside.drop_front().ltrim().starts_with("(");
}

static ParseResult parseDelivery(OpAsmParser &parser, OperationState &result, const Form &form) {
  Operand future;
  Identity identity;
  TileFutureType type;
  SmallVector<Type> types;
  if (parser.parseLParen() || parser.parseOperand(future) || parser.parseRParen() ||
      parseClauses(parser, result, form, identity) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColon())
    return failure();
  const char *begin = parser.getCurrentLocation().getPointer();
  if (parser.parseCustomTypeWithFallback(type))
    return failure();
  StringRef text(begin, parser.getCurrentLocation().getPointer() - begin);
  if (parser.parseArrow() || parser.parseTypeList(types) ||
      parser.resolveOperand(future, type, result.operands) ||
      parser.resolveOperands(identity.operands, identity.types, identity.loc, result.operands))
    return failure();
  result.addTypes(types);
  // Only the older form, which has a spelling of its own, may drop dimensions.
  if (form.fold && form.dimensions.empty() && isBareFuture(text) &&
      !llvm::equal(types, type.getPartialTypes()))
    result.addAttribute(collapseName, parser.getBuilder().getUnitAttr());
  return form.fold ? parser.parseRegion(*result.addRegion()) : success();
}

/// Prints a clause, if the op has it.
static void printClause(OpAsmPrinter &printer, Operation *op, StringRef name) {
  Attribute value = op->getAttr(name);
  if (!value)
    return;
  printer << (name == consumersName ? " " : ", ") << name << " = ";
  if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
    printer.printStrippedAttrOrType(list);
  else
    printer << value;
}

static void printDelivery(OpAsmPrinter &printer, Operation *op, const Form &form) {
  printer << '(' << op->getOperand(0) << ')';
  SmallVector<StringRef> names = form.getNames();
  for (StringRef name : names)
    printClause(printer, op, name);
  if (form.fold) {
    OperandRange identity = op->getOperands().drop_front();
    printer << ", identity(" << identity << " : " << identity.getTypes() << ')';
  }
  names.push_back(collapseName);
  printer.printOptionalAttrDict(op->getAttrs(), names);
  printer << " : ";
  auto future = cast<TileFutureType>(op->getOperand(0).getType());
  if (op->hasAttr(collapseName))
    printer << '<' << future.getPartialTypes() << ", groups = " << future.getGroups() << '>';
  else
    printer.printStrippedAttrOrType(future);
  printer << " -> " << op->getResultTypes();
  if (form.fold) {
    printer << ' ';
    printer.printRegion(op->getRegion(0));
  }
}

//===----------------------------------------------------------------------===//
// The forms of the ops
//===----------------------------------------------------------------------===//

static constexpr StringRef scatterNames[] = {"scatter_dimensions"};
static constexpr StringRef gatherNames[] = {"gather_dimensions"};
static constexpr StringRef exchangeNames[] = {"split_dimensions", "concat_dimensions"};

static constexpr Form consumeForm{{}};
static constexpr Form reduceForm{{}, /*dependency=*/true, /*fold=*/true};
static constexpr Form reduceScatterForm{scatterNames, /*dependency=*/true, /*fold=*/true};
static constexpr Form gatherForm{gatherNames};
static constexpr Form allToAllForm{exchangeNames};
static constexpr Form scatterForm{scatterNames, /*dependency=*/false};

ParseResult InterTileConsumeOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDelivery(parser, result, consumeForm);
}
ParseResult InterTileReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDelivery(parser, result, reduceForm);
}
ParseResult InterTileReduceScatterOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDelivery(parser, result, reduceScatterForm);
}
ParseResult InterTileGatherOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDelivery(parser, result, gatherForm);
}
ParseResult InterTileAllToAllOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDelivery(parser, result, allToAllForm);
}
ParseResult InterTileScatterOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseDelivery(parser, result, scatterForm);
}

void InterTileConsumeOp::print(OpAsmPrinter &printer) { printDelivery(printer, *this, consumeForm); }
void InterTileReduceOp::print(OpAsmPrinter &printer) { printDelivery(printer, *this, reduceForm); }
void InterTileReduceScatterOp::print(OpAsmPrinter &printer) {
  printDelivery(printer, *this, reduceScatterForm);
}
void InterTileGatherOp::print(OpAsmPrinter &printer) { printDelivery(printer, *this, gatherForm); }
void InterTileAllToAllOp::print(OpAsmPrinter &printer) { printDelivery(printer, *this, allToAllForm); }
void InterTileScatterOp::print(OpAsmPrinter &printer) { printDelivery(printer, *this, scatterForm); }
