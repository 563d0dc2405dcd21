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

void GetComputeTileIdOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults() < 2)
    return;
  for (OpResult coordinate : getResults())
    setName(coordinate, ("core" + Twine(coordinate.getResultNumber())).str());
}

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
  Type result = getResult().getType();
  if (getKind() == RuntimeArgExtractKind::Value) {
    if (result == type.getUnderlyingType())
      return success();
    return emitOpError("result type (") << result << ") must match runtime_arg underlying type ("
                                        << type.getUnderlyingType() << ") when extracting value";
  }
  StringRef kind = stringifyRuntimeArgExtractKind(getKind());
  if (!getPromise())
    return emitOpError("cannot extract ")
           << kind << " from runtime_arg that doesn't have one: the type is " << type;
  if (!result.isIndex())
    return emitOpError("result type must be index when extracting ") << kind << ", but got " << result;
  return success();
}

std::optional<int64_t> RuntimeArgExtractOp::getPromise() {
  RuntimeArgType type = getInput().getType();
  switch (getKind()) {
  case RuntimeArgExtractKind::Value:
    return std::nullopt;
  case RuntimeArgExtractKind::Granularity:
    return type.getGranularity();
  case RuntimeArgExtractKind::Upperbound:
    return type.getUpperbound();
  }
  llvm_unreachable("unknown kind");
}

OpFoldResult RuntimeArgExtractOp::fold(FoldAdaptor) {
  std::optional<int64_t> promise = getPromise();
  return promise ? OpFoldResult(IntegerAttr::get(getResult().getType(), *promise)) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// ConstructMemoryViewOp
//===----------------------------------------------------------------------===//

/// Checks that a mixed list has one entry a dimension and one operand an entry left open.
static LogicalResult verifyMixedList(ConstructMemoryViewOp op, StringRef name, int64_t rank,
                                     ArrayRef<int64_t> entries, ValueRange values) {
  if (static_cast<int64_t>(entries.size()) != rank)
    return op.emitOpError("result memref rank does not match sizes/strides length: has ")
           << entries.size() << ' ' << name << ", but the view " << op.getResult().getType() << " has rank "
           << rank;
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
  if (!op.getCoordinateSet())
    return success();
  IntegerSet set = *op.getCoordinateSet();
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
  auto report = [&](const Twine &rule) -> InFlightDiagnostic {
    return op.emitOpError(rule) << ": part " << number << " is " << part << " and the whole is " << whole;
  };
  if (part.getElementType() != whole.getElementType())
    return report("all input memrefs must have the same element type as the result");
  if (part.getRank() != whole.getRank())
    return report("all input memrefs must have the same rank as the result");
  for (auto [dim, size] : llvm::enumerate(part.getShape()))
    if (!part.isDynamicDim(dim) && !whole.isDynamicDim(dim) && size > whole.getDimSize(dim))
      return report("dimension " + Twine(dim) + " of a part cannot exceed that of the whole");
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
