//===- Sdf.cpp - The sdf dialect ------------------------------------------===//
//
// Registers what the dialect defines, checks its module attribute, and holds the syntax and checks
// that several ops share.
//
//===----------------------------------------------------------------------===//

#include "sdf/Sdf.h"
#include "Checks.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sdf;

#include "sdf/SdfDialect.cpp.inc"
#include "sdf/SdfEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "sdf/SdfAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "sdf/SdfTypes.cpp.inc"

void SdfDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "sdf/SdfAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "sdf/SdfTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "sdf/SdfOps.cpp.inc"
      >();
}

Operation *SdfDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

std::optional<int64_t> sdf::getNumCores(Operation *op) {
  auto program = op->getParentOfType<ProgramOp>();
  return program ? std::optional<int64_t>(llvm::product_of(program.getGrid())) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// The scratchpad
//===----------------------------------------------------------------------===//

/// Bytes of a core's scratchpad where the module does not say: the figure of the public Spyre
/// documents.
static constexpr int64_t defaultScratchpadBytes = 2 * 1024 * 1024;

static constexpr StringLiteral scratchpadAttr = "sdf.scratchpad_bytes";

LogicalResult SdfDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != scratchpadAttr)
    return op->emitError() << "unknown attribute '" << attribute.getName().getValue()
                           << "'; the sdf dialect knows '" << scratchpadAttr << "' on a module";
  auto bytes = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!isa<ModuleOp>(op) || !bytes || bytes.getValue().getSExtValue() < 1)
    return op->emitError() << "'" << scratchpadAttr << "' is " << attribute.getValue() << " on '"
                           << op->getName() << "'; expected a positive integer on a module";
  return success();
}

static int64_t getScratchpadBytes(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto bytes = op->getAttrOfType<IntegerAttr>(scratchpadAttr))
      return bytes.getInt();
  return defaultScratchpadBytes;
}

LogicalResult sdf::verifyInScratchpad(Operation *op, ArrayRef<BufferAttr> buffers) {
  int64_t limit = getScratchpadBytes(op);
  for (BufferAttr buffer : buffers)
    if (buffer.getEnd() > limit)
      return op->emitOpError() << "buffer " << buffer << " takes bytes " << buffer.getAddress() << " to "
                               << buffer.getEnd() - 1 << ", but the scratchpad has " << limit << " bytes";
  return success();
}

LogicalResult sdf::verifyDisjoint(Operation *op, StringRef first, BufferAttr a, StringRef second,
                                  BufferAttr b) {
  int64_t begin = std::max(a.getAddress(), b.getAddress()), end = std::min(a.getEnd(), b.getEnd());
  if (begin >= end)
    return success();
  return op->emitOpError() << first << ' ' << a << " and " << second << ' ' << b << " share bytes " << begin
                           << " to " << end - 1 << "; place one of them elsewhere";
}

//===----------------------------------------------------------------------===//
// Mixed lists
//===----------------------------------------------------------------------===//

LogicalResult sdf::verifyMixedLists(Operation *op, ArrayRef<MixedList> lists, int64_t rank, StringRef whose) {
  for (const MixedList &list : lists) {
    if (static_cast<int64_t>(list.entries.size()) != rank)
      return op->emitOpError() << "has " << list.entries.size() << ' ' << list.name << ", but " << whose
                               << " has rank " << rank;
    size_t open = llvm::count_if(list.entries, ShapedType::isDynamic);
    if (open != list.values.size())
      return op->emitOpError() << "has " << list.values.size() << " operands for " << list.name
                               << ", but its static list leaves " << open << " open";
  }
  return success();
}

LogicalResult sdf::verifyExtents(Operation *op, const MixedList &list, ArrayRef<int64_t> limits,
                                 StringRef whose) {
  if (list.entries.empty() && list.values.empty())
    return success();
  if (failed(verifyMixedLists(op, list, static_cast<int64_t>(limits.size()), whose)))
    return failure();
  for (auto [dim, entry, limit] : llvm::enumerate(list.entries, limits))
    if (!ShapedType::isDynamic(entry) && (entry < 0 || entry > limit))
      return op->emitOpError("entry ")
             << dim << " of " << list.name << " is " << entry << "; expected 0 to " << limit;
  return success();
}

//===----------------------------------------------------------------------===//
// Shared syntax
//===----------------------------------------------------------------------===//

static ParseResult parseBuffer(OpAsmParser &parser, BufferAttr &buffer) {
  return parser.parseCustomAttributeWithFallback(buffer);
}

static void printBuffer(OpAsmPrinter &printer, Operation *, BufferAttr buffer) {
  printer.printAttribute(buffer);
}

static ParseResult parseBufferList(OpAsmParser &parser, ArrayAttr &buffers,
                                   OpAsmParser::Delimiter delimiter) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    BufferAttr buffer;
    if (parseBuffer(parser, buffer))
      return failure();
    list.push_back(buffer);
    return success();
  };
  if (parser.parseCommaSeparatedList(delimiter, parseOne))
    return failure();
  buffers = parser.getBuilder().getArrayAttr(list);
  return success();
}

/// Parses `#buffer, ..`.
static ParseResult parseBufferList(OpAsmParser &parser, ArrayAttr &buffers) {
  return parseBufferList(parser, buffers, OpAsmParser::Delimiter::None);
}

static void printBufferList(OpAsmPrinter &printer, Operation *, ArrayAttr buffers) {
  llvm::interleaveComma(buffers, printer);
}

/// Parses `(#buffer, ..)`.
static ParseResult parseBuffers(OpAsmParser &parser, ArrayAttr &buffers) {
  return parseBufferList(parser, buffers, OpAsmParser::Delimiter::Paren);
}

static void printBuffers(OpAsmPrinter &printer, Operation *, ArrayAttr buffers) {
  printer << '(';
  llvm::interleaveComma(buffers, printer);
  printer << ')';
}

static ParseResult parseEngine(OpAsmParser &parser, EngineAttr &engine) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<Engine> kind = symbolizeEngine(word);
  if (!kind)
    return parser.emitError(loc) << "unknown engine '" << word << "'; expected matrix or vector";
  engine = EngineAttr::get(parser.getContext(), *kind);
  return success();
}

static void printEngine(OpAsmPrinter &printer, Operation *, EngineAttr engine) {
  printer << stringifyEngine(engine.getValue());
}

/// Parses `{indexing_maps = [..], iterator_types = [..]}`, in either order.
static ParseResult parseLoops(OpAsmParser &parser, ArrayAttr &maps, ArrayAttr &iterators) {
  SMLoc loc = parser.getCurrentLocation();
  NamedAttrList loops;
  if (parser.parseOptionalAttrDict(loops))
    return failure();
  maps = dyn_cast_or_null<ArrayAttr>(loops.get("indexing_maps"));
  iterators = dyn_cast_or_null<ArrayAttr>(loops.get("iterator_types"));
  if (!maps || !iterators || loops.getAttrs().size() != 2)
    return parser.emitError(loc) << "expected {indexing_maps = [..], iterator_types = [..]}; "
                                    "other attributes follow the word 'attributes'";
  return success();
}

static void printLoops(OpAsmPrinter &printer, Operation *, ArrayAttr maps, ArrayAttr iterators) {
  printer << "{indexing_maps = " << maps << ", iterator_types = " << iterators << '}';
}

/// True for the map that '_' stands for in dimension `dim`: `(d0, ..) -> (d_dim)`.
static bool isPlain(AffineMap map, unsigned dim) {
  return map.getNumResults() == 1 && map.getResult(0) == getAffineDimExpr(dim, map.getContext());
}

/// Parses `[entry, ..]`, where an entry is `_`, a map, `#buffer[map]` or a table.
static ParseResult parseVia(OpAsmParser &parser, ArrayAttr &buffers, ArrayAttr &maps, BufferAttr local) {
  Builder &builder = parser.getBuilder();
  SmallVector<Attribute> bufferList, mapList;
  auto parseEntry = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    Attribute buffer = builder.getUnitAttr(), first;
    AffineMapAttr map;
    if (succeeded(parser.parseOptionalKeyword("_"))) {
      if (static_cast<int64_t>(mapList.size()) >= local.getRank())
        return parser.emitError(loc) << "'_' stands for dimension " << mapList.size()
                                     << " of the buffer, which has rank " << local.getRank();
      map = AffineMapAttr::get(AffineMap::get(local.getRank(), 0, builder.getAffineDimExpr(mapList.size())));
    } else if (parser.parseAttribute(first)) {
      return failure();
    } else if (isa<AffineMapAttr>(first)) {
      map = cast<AffineMapAttr>(first);
    } else if (isa<BufferAttr>(first)) {
      buffer = first;
      if (parser.parseLSquare() || parser.parseAttribute(map) || parser.parseRSquare())
        return failure();
    } else if (isa<DenseElementsAttr>(first)) {
      buffer = first;
      map = AffineMapAttr::get(builder.getMultiDimIdentityMap(local.getRank()));
    } else {
      return parser.emitError(loc) << "expected '_', an affine map, a buffer with a map, or a table";
    }
    bufferList.push_back(buffer);
    mapList.push_back(map);
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseEntry))
    return failure();
  buffers = builder.getArrayAttr(bufferList);
  maps = builder.getArrayAttr(mapList);
  return success();
}

static void printVia(OpAsmPrinter &printer, Operation *, ArrayAttr buffers, ArrayAttr maps, BufferAttr) {
  printer << '[';
  unsigned dim = 0;
  llvm::interleaveComma(llvm::zip(buffers, maps), printer, [&](auto entry) {
    auto [buffer, map] = entry;
    if (isa<BufferAttr>(buffer))
      printer << buffer << '[' << map << ']';
    else if (isa<DenseElementsAttr>(buffer))
      printer << buffer;
    else if (isPlain(cast<AffineMapAttr>(map).getValue(), dim))
      printer << '_';
    else
      printer << map;
    ++dim;
  });
  printer << ']';
}

#define GET_OP_CLASSES
#include "sdf/SdfOps.cpp.inc"
