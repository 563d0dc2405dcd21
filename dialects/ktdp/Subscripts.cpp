//===- Subscripts.cpp - Affine expressions of SSA values ------------------===//
//
// The grammar is that of MLIR's affine expressions, with values in place of names:
//
//   sum     ::= product ((`+` | `-`) product)*
//   product ::= factor ((`*` | `floordiv` | `ceildiv` | `mod`) factor)*
//   factor  ::= integer | value | `symbol` `(` value `)` | `-` factor | `(` sum `)`
//
//===----------------------------------------------------------------------===//

#include "Subscripts.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ktdp;

using Operand = OpAsmParser::UnresolvedOperand;

bool ktdp::isSameOperand(const Operand &a, const Operand &b) {
  return a.name == b.name && a.number == b.number;
}

/// The place of `operand` in `operands`, where it is put if it is new.
static unsigned getPosition(SmallVectorImpl<Operand> &operands, const Operand &operand) {
  auto *it = llvm::find_if(operands, [&](const Operand &other) { return isSameOperand(operand, other); });
  if (it == operands.end())
    it = operands.insert(it, operand);
  return it - operands.begin();
}

namespace {

class ExpressionParser {
public:
  explicit ExpressionParser(OpAsmParser &parser) : parser(parser) {}

  /// Each method parses one expression of its level; null after an error.
  AffineExpr parseSum();

  SmallVector<Operand> dims, symbols;

private:
  AffineExpr parseProduct();
  AffineExpr parseFactor();
  AffineExpr parseSymbol();

  OpAsmParser &parser;
};

} // namespace

AffineExpr ExpressionParser::parseSum() {
  AffineExpr sum = parseProduct();
  while (sum) {
    bool plus = succeeded(parser.parseOptionalPlus());
    if (!plus && failed(parser.parseOptionalMinus()))
      break;
    AffineExpr product = parseProduct();
    if (!product)
      return {};
    sum = plus ? sum + product : sum - product;
  }
  return sum;
}

AffineExpr ExpressionParser::parseProduct() {
  AffineExpr product = parseFactor();
  while (product) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    bool times = succeeded(parser.parseOptionalStar());
    if (!times && failed(parser.parseOptionalKeyword(&word, {"floordiv", "ceildiv", "mod"})))
      break;
    AffineExpr factor = parseFactor();
    if (!factor)
      return {};
    if (!factor.isSymbolicOrConstant() && !(times && product.isSymbolicOrConstant())) {
      parser.emitError(loc) << "expression is not affine; expected an integer or symbol(..) "
                            << (times ? "on one side of '*'" : "on the right of this operator");
      return {};
    }
    if (times)
      product = product * factor;
    else if (word == "floordiv")
      product = product.floorDiv(factor);
    else
      product = word == "mod" ? product % factor : product.ceilDiv(factor);
  }
  return product;
}

AffineExpr ExpressionParser::parseSymbol() {
  Operand value;
  if (parser.parseLParen() || parser.parseOperand(value) || parser.parseRParen())
    return {};
  return getAffineSymbolExpr(getPosition(symbols, value), parser.getContext());
}

AffineExpr ExpressionParser::parseFactor() {
  if (succeeded(parser.parseOptionalMinus())) {
    AffineExpr factor = parseFactor();
    return factor ? -factor : factor;
  }
  if (succeeded(parser.parseOptionalLParen())) {
    AffineExpr sum = parseSum();
    return sum && succeeded(parser.parseRParen()) ? sum : AffineExpr();
  }
  if (succeeded(parser.parseOptionalKeyword("symbol")))
    return parseSymbol();
  int64_t constant;
  OptionalParseResult isInteger = parser.parseOptionalInteger(constant);
  if (isInteger.has_value())
    return succeeded(*isInteger) ? getAffineConstantExpr(constant, parser.getContext()) : AffineExpr();
  Operand value;
  if (parser.parseOperand(value))
    return {};
  return getAffineDimExpr(getPosition(dims, value), parser.getContext());
}

/// Sets `result` to what was parsed.
static void finish(OpAsmParser &parser, ArrayRef<AffineExpr> list, const ExpressionParser &expressions,
                   Subscripts &result) {
  result.map = AffineMap::get(expressions.dims.size(), expressions.symbols.size(), list, parser.getContext());
  result.operands = expressions.dims;
  llvm::append_range(result.operands, expressions.symbols);
}

ParseResult ktdp::parseSubscript(OpAsmParser &parser, Subscripts &result) {
  ExpressionParser expressions(parser);
  AffineExpr sum = expressions.parseSum();
  if (!sum)
    return failure();
  finish(parser, sum, expressions, result);
  return success();
}

ParseResult ktdp::parseSubscripts(OpAsmParser &parser, OpAsmParser::Delimiter delimiter, Subscripts &result) {
  ExpressionParser expressions(parser);
  SmallVector<AffineExpr> list;
  auto parseOne = [&]() -> ParseResult {
    list.push_back(expressions.parseSum());
    return success(static_cast<bool>(list.back()));
  };
  if (parser.parseCommaSeparatedList(delimiter, parseOne))
    return failure();
  finish(parser, list, expressions, result);
  return success();
}
