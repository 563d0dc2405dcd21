//===- Types.cpp - Access tiles, runtime arguments, futures ---------------===//

#include "ktdp/Ktdp.h"

using namespace mlir;
using namespace mlir::ktdp;

//===----------------------------------------------------------------------===//
// AccessTileType
//===----------------------------------------------------------------------===//

Type AccessTileType::getElementType() const { return IndexType::get(getContext()); }

ShapedType AccessTileType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  assert(elementType.isIndex() && "an access tile holds coordinates, nothing else");
  return AccessTileType::get(getContext(), shape.value_or(getShape()));
}

LogicalResult AccessTileType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape) {
  for (int64_t size : shape)
    if (!ShapedType::isDynamic(size) && size < 0)
      return emitError() << "access tile has a dimension of size " << size
                         << "; write a size of at least 0, or '?'";
  return success();
}

void AccessTileType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t size : getShape())
    printer << (ShapedType::isDynamic(size) ? std::string("?") : std::to_string(size)) << 'x';
  printer << "index>";
}

Type AccessTileType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape))
    return {};
  SMLoc elementLoc = parser.getCurrentLocation();
  if (parser.parseType(elementType))
    return {};
  if (!elementType.isIndex()) {
    parser.emitError(elementLoc)
        << "tile element type must be 'index', because a tile holds coordinates, not " << elementType;
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<AccessTileType>(elementLoc, parser.getContext(), ArrayRef<int64_t>(shape));
}

//===----------------------------------------------------------------------===//
// RuntimeArgType
//===----------------------------------------------------------------------===//

LogicalResult RuntimeArgType::verify(function_ref<InFlightDiagnostic()> emitError, Type type,
                                     std::optional<int64_t> granularity, std::optional<int64_t> upperbound) {
  if (!isa<IndexType, IntegerType, FloatType>(type))
    return emitError() << "runtime_arg of " << type
                       << "; a runtime argument is an index, an integer or a float";
  if (granularity && *granularity < 1)
    return emitError() << "runtime_arg granularity must be positive, not " << *granularity;
  if (upperbound && *upperbound < 1)
    return emitError() << "runtime_arg upperbound must be positive, not " << *upperbound;
  return success();
}

void RuntimeArgType::print(AsmPrinter &printer) const {
  printer << '<' << getUnderlyingType();
  if (std::optional<int64_t> granularity = getGranularity())
    printer << ", granularity=" << *granularity;
  if (std::optional<int64_t> upperbound = getUpperbound())
    printer << ", upperbound=" << *upperbound;
  printer << '>';
}

/// Parses `name = value` into one of the two promises; each may be given once, in either order.
static ParseResult parsePromise(AsmParser &parser, std::optional<int64_t> &granularity,
                                std::optional<int64_t> &upperbound) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  int64_t value;
  if (parser.parseKeyword(&name) || parser.parseEqual() || parser.parseInteger(value))
    return failure();
  if (name != "granularity" && name != "upperbound")
    return parser.emitError(loc) << "unknown promise '" << name
                                 << "' of a runtime argument; expected 'granularity' or "
                                    "'upperbound'";
  std::optional<int64_t> &slot = name == "granularity" ? granularity : upperbound;
  if (slot)
    return parser.emitError(loc) << "'" << name << "' is given twice";
  slot = value;
  return success();
}

Type RuntimeArgType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  std::optional<int64_t> granularity, upperbound;
  if (parser.parseLess() || parser.parseType(type))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (parsePromise(parser, granularity, upperbound))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RuntimeArgType>(loc, parser.getContext(), type, granularity, upperbound);
}

//===----------------------------------------------------------------------===//
// TileFutureType
//===----------------------------------------------------------------------===//

LogicalResult TileFutureType::verify(function_ref<InFlightDiagnostic()> emitError,
                                     ArrayRef<RankedTensorType> partialTypes, IntegerSetAttr groups) {
  if (partialTypes.empty())
    return emitError() << "tile_future has no partial type; a tile contributes at least one tensor";
  IntegerSet set = groups.getValue();
  if (set.getNumDims() != 1)
    return emitError() << "tile_future `groups` must have exactly one dimension (g), not "
                       << set.getNumDims();
  if (set.getNumSymbols() != 0)
    return emitError() << "tile_future `groups` must have no symbols, not " << set.getNumSymbols();
  return success();
}

void TileFutureType::print(AsmPrinter &printer) const {
  printer << "<(";
  llvm::interleaveComma(getPartialTypes(), printer);
  printer << "), groups = " << getGroups() << '>';
}

/// Parses the tensors, up to the comma before the groups.
static ParseResult parsePartialTypes(AsmParser &parser, SmallVectorImpl<RankedTensorType> &partials) {
  auto parseOne = [&] { return parser.parseType(partials.emplace_back()); };
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parser.parseCommaSeparatedList(parseOne) || parser.parseRParen() || parser.parseComma());
  if (parseOne() || parser.parseComma())
    return failure();
  while (true) { // the comma before the groups ends a list without parentheses
    Type type;
    SMLoc loc = parser.getCurrentLocation();
    OptionalParseResult result = parser.parseOptionalType(type);
    if (!result.has_value())
      return success();
    if (failed(*result) || parser.parseComma())
      return failure();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return parser.emitError(loc) << "expected a tensor with a rank, but found " << type;
    partials.push_back(tensor);
  }
}

Type TileFutureType::parse(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<RankedTensorType> partials;
  IntegerSetAttr groups;
  if (parser.parseLess())
    return {};
  if (parsePartialTypes(parser, partials)) {
    // States of the public definition differ in the type's name, and their tests ask for it.
    parser.emitError(loc) << "failed to parse Ktdp_TileFutureType parameter 'partialTypes', which is a list "
                             "of tensors with a rank (elsewhere: failed to parse KTDP_TileFutureType "
                             "parameter 'partialTypes')";
    return {};
  }
  if (succeeded(parser.parseOptionalKeyword("groups")) && parser.parseEqual())
    return {};
  if (parser.parseAttribute(groups) || parser.parseGreater())
    return {};
  return parser.getChecked<TileFutureType>(loc, parser.getContext(), ArrayRef<RankedTensorType>(partials),
                                           groups);
}
