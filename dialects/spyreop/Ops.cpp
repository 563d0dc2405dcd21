//===- Ops.cpp - Syntax, checks and types of the spyreop ops --------------===//

#include "spyreop/SpyreOp.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::spyreop;

//===----------------------------------------------------------------------===//
// Idx32ToAddrOp
//===----------------------------------------------------------------------===//

using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;

/// Parses a value or an integer of 32 bits, signed or not.
static ParseResult parseStride(OpAsmParser &parser, OptionalOperand &value, IntegerAttr &integer) {
  OpAsmParser::UnresolvedOperand operand;
  if (OptionalParseResult result = parser.parseOptionalOperand(operand); result.has_value()) {
    value = operand;
    return *result;
  }
  SMLoc loc = parser.getCurrentLocation();
  int64_t number;
  if (parser.parseInteger(number))
    return failure();
  if (!llvm::isInt<32>(number) && !llvm::isUInt<32>(number))
    return parser.emitError(loc) << number << " does not fit into 32 bits";
  integer = parser.getBuilder().getI32IntegerAttr(static_cast<int32_t>(number));
  return success();
}

static void printStride(OpAsmPrinter &printer, Operation *, Value value, IntegerAttr integer) {
  if (value)
    printer << value;
  else
    printer << integer.getInt();
}

static ParseResult parseBaseAddress(OpAsmParser &parser, OptionalOperand &value, IntegerAttr &integer) {
  return parseStride(parser, value, integer);
}

/// As a stride, but an integer is printed as an address: 0xDEADBEEF.
static void printBaseAddress(OpAsmPrinter &printer, Operation *, Value value, IntegerAttr integer) {
  if (value)
    printer << value;
  else
    printer << llvm::formatv("{0:X8}", static_cast<uint32_t>(integer.getInt()));
}

LogicalResult Idx32ToAddrOp::verify() {
  bool values = getBase() && getStride(), integers = getStaticBaseAttr() && getStaticStrideAttr();
  bool none = !getBase() && !getStride(), noIntegers = !getStaticBaseAttr() && !getStaticStrideAttr();
  if ((values && noIntegers) || (integers && none))
    return success();
  return emitOpError("expected base and stride once each, both as values or both as integers");
}

//===----------------------------------------------------------------------===//
// Fused pairs
//===----------------------------------------------------------------------===//

/// The type of a pair of `scalar`; null if there is none.
static Type getPairOf(Type scalar) {
  MLIRContext *context = scalar.getContext();
  if (isa<Float16Type>(scalar))
    return FP16FusedType::get(context);
  if (isa<DF16Type>(scalar))
    return DF16FusedType::get(context);
  return isa<Float32Type>(scalar) ? FP32FusedType::get(context) : Type();
}

/// The type that `pair` holds two of; null if it is no pair.
static Type getScalarOf(Type pair) {
  MLIRContext *context = pair.getContext();
  if (isa<FP16FusedType>(pair))
    return Float16Type::get(context);
  if (isa<DF16FusedType>(pair))
    return DF16Type::get(context);
  return isa<FP32FusedType>(pair) ? Float32Type::get(context) : Type();
}

static LogicalResult setType(SmallVectorImpl<Type> &types, Type type) {
  types.push_back(type);
  return success(static_cast<bool>(type));
}

LogicalResult Exx2FusedOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                            DictionaryAttr, OpaqueProperties, RegionRange,
                                            SmallVectorImpl<Type> &types) {
  return setType(types, getPairOf(operands.front().getType()));
}

LogicalResult Exx2ZeromeanFusedOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                    ValueRange operands, DictionaryAttr, OpaqueProperties,
                                                    RegionRange, SmallVectorImpl<Type> &types) {
  return setType(types, getPairOf(operands.front().getType()));
}

LogicalResult LayerNormScaleFusedOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                      ValueRange operands, DictionaryAttr, OpaqueProperties,
                                                      RegionRange, SmallVectorImpl<Type> &types) {
  return setType(types, getScalarOf(operands.front().getType()));
}

#define GET_OP_CLASSES
#include "spyreop/SpyreOpOps.cpp.inc"
