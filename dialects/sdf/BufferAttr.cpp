//===- BufferAttr.cpp - Places in the scratchpad --------------------------===//

#include "mlir/IR/DialectImplementation.h"
#include "sdf/Sdf.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sdf;

/// Bytes of a stick, the unit of the scratchpad (torch-spyre's public accelerator description).
static constexpr int64_t stickBytes = 128;

int64_t BufferAttr::getNumElements() const { return llvm::product_of(getShape()); }

int64_t BufferAttr::getElementBytes() const {
  return getElementType().isIndex() ? 8 : llvm::divideCeil(getElementType().getIntOrFloatBitWidth(), 8);
}

int64_t BufferAttr::getSizeInBytes() const {
  if (getShape().empty())
    return stickBytes;
  int64_t row = getShape().back() * getElementBytes();
  return llvm::product_of(getShape().drop_back()) * llvm::alignTo(row, stickBytes);
}

LogicalResult BufferAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t address,
                                 ArrayRef<int64_t> shape, Type elementType) {
  if (!elementType.isIntOrIndexOrFloat())
    return emitError() << "buffer of " << elementType << "; a buffer holds integers, floats or indices";
  if (address < 0 || address % stickBytes != 0)
    return emitError() << "buffer at address " << address << "; an address is a multiple of " << stickBytes
                       << " and at least 0";
  for (int64_t size : shape)
    if (size < 1)
      return emitError() << "buffer has a dimension of size " << size << "; sizes are at least 1";
  return success();
}

void BufferAttr::print(AsmPrinter &printer) const {
  printer << '<' << getAddress() << ", ";
  for (int64_t size : getShape())
    printer << size << 'x';
  printer << getElementType() << '>';
}

Attribute BufferAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t address;
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() || parser.parseInteger(address) || parser.parseComma() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(elementType) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<BufferAttr>(loc, parser.getContext(), address, ArrayRef<int64_t>(shape),
                                       elementType);
}
