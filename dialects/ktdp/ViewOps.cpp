//===- ViewOps.cpp - Cores, launch values, views of memory ----------------===//

#include "ktdp/Ktdp.h"

using namespace mlir;
using namespace mlir::ktdp;

/// Cores of a device whose module does not say: the figure of the public Spyre documents.
static constexpr int64_t defaultCores = 32;

static int64_t getCores(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto cores = op->getAttrOfType<IntegerAttr>("ktdp.cores"))
      return cores.getInt();
  return defaultCores;
}

//===----------------------------------------------------------------------===//
// GetComputeTileIdOp
//===----------------------------------------------------------------------===//

LogicalResult GetComputeTileIdOp::verify() {
  if (getNumResults() == 0)
    return emitOpError("has no result; expected one a dimension of the grid, at least one");
  return success();
}

//===----------------------------------------------------------------------===//
// RuntimeArgExtractOp
//===----------------------------------------------------------------------===//

LogicalResult RuntimeArgExtractOp::verify() {
  RuntimeArgType type = getInput().getType();
  StringRef kind = stringifyRuntimeArgExtractKind(getKind());
  bool stated = true;
  Type expected = IndexType::get(getContext());
  switch (getKind()) {
  case RuntimeArgExtractKind::Value:
    expected = type.getUnderlyingType();
    break;
  case RuntimeArgExtractKind::Granularity:
    stated = type.getGranularity().has_value();
    break;
  case RuntimeArgExtractKind::Upperbound:
    stated = type.getUpperbound().has_value();
    break;
  }
  if (!stated)
    return emitOpError("extracts '") << kind << "', which the type " << type << " does not state";
  if (getResult().getType() != expected)
    return emitOpError("result type is ") << getResult().getType() << "; extracting '" << kind << "' from "
                                          << type << " yields " << expected;
  return success();
}

//===----------------------------------------------------------------------===//
// ConstructMemoryViewOp
//===----------------------------------------------------------------------===//

/// Checks that a mixed list has one entry a dimension and one operand an entry left open.
static LogicalResult verifyMixedList(ConstructMemoryViewOp op, StringRef name, int64_t rank,
                                     ArrayRef<int64_t> entries, ValueRange values) {
  if (static_cast<int64_t>(entries.size()) != rank)
    return op.emitOpError("has ") << entries.size() << ' ' << name << ", but the view "
                                  << op.getResult().getType() << " has rank " << rank;
  int64_t open = llvm::count_if(entries, ShapedType::isDynamic);
  if (static_cast<int64_t>(values.size()) != open)
    return op.emitOpError("has ") << values.size() << " operands for " << name << ", but 'static_" << name
                                  << "' leaves " << open << " open";
  return success();
}

static LogicalResult verifySizes(ConstructMemoryViewOp op, MemRefType type) {
  for (auto [dim, size] : llvm::enumerate(op.getStaticSizes())) {
    if (ShapedType::isDynamic(size))
      continue;
    if (size < 0)
      return op.emitOpError("size of dimension ") << dim << " is " << size << ", below 0";
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != size)
      return op.emitOpError("size of dimension ")
             << dim << " is " << size << ", but the view's type is " << type;
  }
  return success();
}

static LogicalResult verifyCoordinateSet(ConstructMemoryViewOp op, MemRefType type) {
  IntegerSet set = op.getCoordinateSet();
  if (set.getNumDims() != type.getRank())
    return op.emitOpError("coordinate_set has ")
           << set.getNumDims() << " dimensions, but the view " << type << " has rank " << type.getRank();
  if (set.getNumSymbols() > op.getSizes().size())
    return op.emitOpError("coordinate_set has ")
           << set.getNumSymbols() << " symbols, but only " << op.getSizes().size()
           << " sizes are values; its symbols are bound to those, from left to right";
  return success();
}

static LogicalResult verifyMemorySpace(ConstructMemoryViewOp op, MemRefType type) {
  MemorySpaceInterface space = op.getMemorySpace();
  if (type.getMemorySpace() && type.getMemorySpace() != space)
    return op.emitOpError("memory_space is ")
           << space << ", but the view's type says " << type.getMemorySpace();
  std::optional<int64_t> core = space.getOwningCore();
  if (core && *core >= getCores(op))
    return op.emitOpError("memory_space names core ")
           << *core << ", but the device has cores 0 to " << getCores(op) - 1
           << " ('ktdp.cores' on the module changes that)";
  return success();
}

LogicalResult ConstructMemoryViewOp::verify() {
  MemRefType type = getResult().getType();
  if (failed(verifyMixedList(*this, "sizes", type.getRank(), getStaticSizes(), getSizes())) ||
      failed(verifyMixedList(*this, "strides", type.getRank(), getStaticStrides(), getStrides())))
    return failure();
  if (failed(verifySizes(*this, type)) || failed(verifyCoordinateSet(*this, type)))
    return failure();
  return verifyMemorySpace(*this, type);
}

//===----------------------------------------------------------------------===//
// ConstructDistributedMemoryViewOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyPart(ConstructDistributedMemoryViewOp op, unsigned number, MemRefType part,
                                MemRefType whole) {
  auto report = [&]() -> InFlightDiagnostic {
    return op.emitOpError("part ") << number << " is " << part << " and the whole is " << whole;
  };
  if (part.getElementType() != whole.getElementType())
    return report() << "; all parts have the element type of the whole";
  if (part.getRank() != whole.getRank())
    return report() << "; all parts have the rank of the whole";
  for (auto [dim, size] : llvm::enumerate(part.getShape()))
    if (!part.isDynamicDim(dim) && !whole.isDynamicDim(dim) && size > whole.getDimSize(dim))
      return report() << "; dimension " << dim << " of a part cannot exceed that of the whole";
  return success();
}

LogicalResult ConstructDistributedMemoryViewOp::verify() {
  if (getMemrefs().empty())
    return emitOpError("has no part; compose at least one view");
  for (auto [number, memref] : llvm::enumerate(getMemrefs()))
    if (failed(verifyPart(*this, number, cast<MemRefType>(memref.getType()), getResult().getType())))
      return failure();
  return success();
}
