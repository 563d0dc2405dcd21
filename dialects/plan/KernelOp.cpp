//===- KernelOp.cpp - Syntax and legality of a kernel ---------------------===//

#include "plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::plan;

/// Bytes that device memory moves at once (torch-spyre's public accelerator description).
static constexpr int64_t stickBytes = 128;

/// Cores of a device whose module does not say: the figure of the public Spyre documents.
static constexpr int64_t defaultCores = 32;

static int64_t getCores(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto cores = op->getAttrOfType<IntegerAttr>("plan.cores"))
      return cores.getInt();
  return defaultCores;
}

/// Elements of `type` in a stick. An i1 takes a whole byte, an index eight.
static int64_t getStickElements(Type type) {
  int64_t bits = type.isIndex() ? 64 : type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
  return stickBytes / llvm::divideCeil(bits, 8);
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

/// Parses ` name = [..]` into an inherent attribute.
static ParseResult parseList(OpAsmParser &parser, OperationState &result, StringRef name) {
  DenseI64ArrayAttr list;
  if (parser.parseKeyword(name) || parser.parseEqual() || parser.parseCustomAttributeWithFallback(list))
    return failure();
  result.addAttribute(name, list);
  return success();
}

/// Parses `%argument = %operand : type`.
static ParseResult parseInput(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments,
                              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  OpAsmParser::Argument &argument = arguments.emplace_back();
  return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                 parser.parseOperand(operands.emplace_back()) || parser.parseColonType(argument.type));
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  if (parser.parseAttribute(name, "kernel_name", result.attributes) || parseList(parser, result, "split") ||
      parseList(parser, result, "tile"))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("reduction_tile"))) {
    IntegerAttr reductionTile;
    if (parser.parseEqual() || parser.parseAttribute(reductionTile, parser.getBuilder().getI64Type(),
                                                     "reduction_tile", result.attributes))
      return failure();
  }
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc operandsLoc = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("ins")) &&
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&] { return parseInput(parser, arguments, operands); }))
    return failure();
  auto types = llvm::map_to_vector(arguments, [](const auto &argument) { return argument.type; });
  return failure(parser.parseArrowTypeList(result.types) ||
                 parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
                 parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.resolveOperands(operands, types, operandsLoc, result.operands));
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getKernelNameAttr() << " split = ";
  printer.printStrippedAttrOrType(getSplitAttr());
  printer << " tile = ";
  printer.printStrippedAttrOrType(getTileAttr());
  if (std::optional<uint64_t> reductionTile = getReductionTile())
    printer << " reduction_tile = " << static_cast<int64_t>(*reductionTile);
  if (!getInputs().empty()) {
    printer << " ins(";
    llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()), printer, [&](auto pair) {
      auto [argument, input] = pair;
      printer << argument << " = " << input << " : " << input.getType();
    });
    printer << ')';
  }
  printer << " -> (" << getResultTypes() << ')';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getKernelNameAttrName(), getSplitAttrName(), getTileAttrName(), getReductionTileAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Checks one dimension of the domain. `unit` is what it can be cut into at the finest.
static LogicalResult verifyDimension(KernelOp op, unsigned dim, int64_t extent, int64_t unit) {
  int64_t split = op.getSplit()[dim], tile = op.getTile()[dim];
  int64_t units = llvm::divideCeil(extent, unit);
  if (split < 1 || tile < 1)
    return op.emitOpError("dimension ")
           << dim << " has split " << split << " and tile " << tile << "; both are at least 1";
  if (split > std::max<int64_t>(units, 1))
    return op.emitOpError("split ") << split << " of dimension " << dim << " exceeds its " << units
                                    << " units: extent " << extent << ", unit " << unit;
  if (tile == extent)
    return success();
  if (tile % unit != 0)
    return op.emitOpError("tile ") << tile << " of dimension " << dim << " is neither a multiple of its unit "
                                   << unit << " nor the whole extent " << extent;
  if (tile > units * unit)
    return op.emitOpError("tile ") << tile << " of dimension " << dim << " exceeds its extent " << extent
                                   << ", padded to " << units * unit;
  return success();
}

/// Checks the division against the domain and the device.
static LogicalResult verifyDivision(KernelOp op, RankedTensorType domain) {
  ArrayRef<int64_t> split = op.getSplit(), tile = op.getTile();
  int64_t rank = domain.getRank();
  if (static_cast<int64_t>(split.size()) != rank || static_cast<int64_t>(tile.size()) != rank)
    return op.emitOpError("split [") << split << "] and tile [" << tile
                                     << "] have one entry a dimension of the first result, " << domain
                                     << ", so " << rank << " each";
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t unit = dim + 1 == rank ? getStickElements(domain.getElementType()) : 1;
    if (failed(verifyDimension(op, dim, domain.getDimSize(dim), unit)))
      return failure();
  }
  int64_t used = llvm::product_of(split), cores = getCores(op);
  if (used > cores)
    return op.emitOpError("split [") << split << "] uses " << used << " cores, the target has " << cores;
  return success();
}

LogicalResult KernelOp::verify() {
  if (getKernelName().empty())
    return emitOpError("has an empty name; programs and profiles call the kernel by it");
  if (getNumResults() == 0)
    return emitOpError("has no result; its first result is what split and tile divide");
  if (std::optional<uint64_t> reductionTile = getReductionTile())
    if (static_cast<int64_t>(*reductionTile) < 1)
      return emitOpError("reduction_tile is ")
             << static_cast<int64_t>(*reductionTile) << "; expected at least 1";
  return verifyDivision(*this, cast<RankedTensorType>(getResult(0).getType()));
}

LogicalResult KernelOp::verifyRegions() {
  auto report = [&](StringRef what, TypeRange found, StringRef whose, TypeRange expected) {
    return emitOpError("region ") << what << " (" << found << "), but the " << whose << " are (" << expected
                                  << ")";
  };
  TypeRange arguments = getBody().getArgumentTypes();
  if (arguments != getInputs().getTypes())
    return report("takes", arguments, "operands", getInputs().getTypes());
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("region ends with '")
           << getBody().front().getTerminator()->getName() << "'; expected 'plan.yield'";
  if (yield.getOperandTypes() != getResultTypes())
    return report("yields", yield.getOperandTypes(), "results", getResultTypes());
  return success();
}
