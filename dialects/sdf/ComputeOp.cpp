//===- ComputeOp.cpp - Structured compute on buffers ----------------------===//

#include "Checks.h"
#include "sdf/Sdf.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::sdf;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<BufferAttr> ComputeOp::getBuffers() {
  SmallVector<BufferAttr> buffers(getInputs().getAsRange<BufferAttr>());
  llvm::append_range(buffers, getOutputs().getAsRange<BufferAttr>());
  return buffers;
}

SmallVector<int64_t> ComputeOp::getLoopLengths() {
  SmallVector<int64_t> lengths(getNumLoops(), 0);
  for (auto [number, buffer] : llvm::enumerate(getBuffers()))
    for (auto [expr, size] : llvm::zip_equal(getMap(number).getResults(), buffer.getShape()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        int64_t &length = lengths[loop.getPosition()];
        length = length == 0 ? size : std::min(length, size);
      }
  return lengths;
}

/// The least and the greatest value of `expr` when each loop runs from 0 to its length; nullopt if
/// the expression is not a sum of loops with factors.
static std::optional<std::pair<int64_t, int64_t>> getRange(AffineExpr expr, ArrayRef<int64_t> lengths) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::pair(constant.getValue(), constant.getValue());
  if (auto loop = dyn_cast<AffineDimExpr>(expr))
    return std::pair<int64_t, int64_t>(0, lengths[loop.getPosition()] - 1);
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto left = getRange(binary.getLHS(), lengths), right = getRange(binary.getRHS(), lengths);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return std::pair(left->first + right->first, left->second + right->second);
  if (expr.getKind() != AffineExprKind::Mul || right->first != right->second)
    return std::nullopt;
  int64_t a = left->first * right->first, b = left->second * right->first;
  return std::pair(std::min(a, b), std::max(a, b));
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Checks that there is a well-formed map a buffer and that the iterator names are known.
static LogicalResult verifyMaps(ComputeOp op, ArrayRef<BufferAttr> buffers) {
  for (auto name : op.getIteratorTypes().getAsRange<StringAttr>())
    if (name != "parallel" && name != "reduction")
      return op.emitOpError("iterator type is ") << name << R"(; expected "parallel" or "reduction")";
  if (op.getIndexingMaps().size() != buffers.size())
    return op.emitOpError("has ") << op.getIndexingMaps().size() << " indexing maps for " << buffers.size()
                                  << " buffers; expected one a buffer";
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    AffineMap map = op.getMap(number);
    if (map.getNumDims() != op.getNumLoops() || map.getNumSymbols() != 0)
      return op.emitOpError("indexing map ")
             << number << " is " << AffineMapAttr::get(map) << "; expected " << op.getNumLoops()
             << " dimensions, one an iterator type, and no symbol";
    if (map.getNumResults() != buffer.getRank())
      return op.emitOpError("indexing map ")
             << number << " has " << map.getNumResults() << " results, but its buffer " << buffer
             << " has rank " << buffer.getRank();
  }
  return success();
}

/// Checks that the buffers give every loop one length, and that no access leaves a buffer.
static LogicalResult verifyLoops(ComputeOp op, ArrayRef<BufferAttr> buffers) {
  SmallVector<int64_t> lengths = op.getLoopLengths();
  if (const auto *unknown = llvm::find(lengths, 0); unknown != lengths.end())
    return op.emitOpError("loop ") << unknown - lengths.begin()
                                   << " has no length; some map must have it as a plain result";
  for (auto [number, buffer] : llvm::enumerate(buffers))
    for (auto [dim, expr] : llvm::enumerate(op.getMap(number).getResults())) {
      int64_t size = buffer.getShape()[dim];
      auto loop = dyn_cast<AffineDimExpr>(expr);
      // A loop that states its length may end before some of its buffers do.
      if (loop && lengths[loop.getPosition()] != size && op.getStaticLengths().empty())
        return op.emitOpError("loop ")
               << loop.getPosition() << " has length " << lengths[loop.getPosition()] << ", but dimension "
               << dim << " of the buffer " << buffer << " has " << size;
      auto range = getRange(expr, lengths);
      if (!range)
        return op.emitOpError("indexing map ")
               << number << " is " << op.getIndexingMaps()[number] << ", whose result " << dim
               << " is not a sum of loops, each times a constant";
      if (range->first < 0 || range->second >= size)
        return op.emitOpError("accesses elements ")
               << range->first << " to " << range->second << " of dimension " << dim << " of the buffer "
               << buffer << ", which has " << size;
    }
  return success();
}

/// Checks that no two points of the parallel loops write one element.
static LogicalResult verifyOutputs(ComputeOp op, ArrayRef<BufferAttr> buffers) {
  if (op.getOutputs().empty())
    return op.emitOpError("has no output");
  for (unsigned number = op.getInputs().size(); number < buffers.size(); ++number)
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!op.isReduction(loop) && !op.getMap(number).isFunctionOfDim(loop))
        return op.emitOpError("loop ") << loop << " is parallel, but does not index the output "
                                       << buffers[number] << R"(; call it "reduction")";
  return success();
}

/// True if elements with the same coordinates lie at the same bytes.
static bool liesEqually(BufferAttr a, BufferAttr b) {
  return a.getAddress() == b.getAddress() && a.getShape() == b.getShape() &&
         a.getElementBytes() == b.getElementBytes();
}

/// Checks that no output overwrites what is still to be read or written elsewhere. An input may lie
/// where an output does if both are accessed alike.
static LogicalResult verifyOverlaps(ComputeOp op, ArrayRef<BufferAttr> buffers) {
  unsigned numInputs = op.getInputs().size();
  for (unsigned output = numInputs; output < buffers.size(); ++output)
    for (unsigned other = 0; other < output; ++other) {
      bool inPlace = other < numInputs && liesEqually(buffers[other], buffers[output]) &&
                     op.getMap(other) == op.getMap(output);
      if (!inPlace && failed(verifyDisjoint(op, other < numInputs ? "input" : "output", buffers[other],
                                            "output", buffers[output])))
        return failure();
    }
  return success();
}

static LogicalResult verifyEngine(ComputeOp op) {
  Engine engine = op.getEngine();
  if (engine == Engine::Vector)
    return success();
  if (engine != Engine::Matrix)
    return op.emitOpError("runs on the ") << stringifyEngine(engine)
                                          << " engine, which only moves data; "
                                             "expected matrix or vector";
  bool reduces = false;
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    reduces |= op.isReduction(loop);
  if (!reduces || op.getInputs().size() != 2 || op.getOutputs().size() != 1)
    return op.emitOpError("runs on the matrix engine with ")
           << op.getInputs().size() << " inputs, " << op.getOutputs().size() << " outputs and "
           << (reduces ? "a" : "no")
           << " reduction; that engine contracts two inputs to one output, use vector";
  return success();
}

LogicalResult ComputeOp::verify() {
  SmallVector<BufferAttr> buffers = getBuffers();
  if (failed(verifyInScratchpad(*this, buffers)) || failed(verifyMaps(*this, buffers)) ||
      failed(verifyOutputs(*this, buffers)) || failed(verifyLoops(*this, buffers)) ||
      failed(verifyOverlaps(*this, buffers)) ||
      failed(verifyExtents(*this, {"lengths", getStaticLengths(), getLengths()}, getLoopLengths(),
                           "the loop nest")))
    return failure();
  return verifyEngine(*this);
}

LogicalResult ComputeOp::verifyRegions() {
  SmallVector<Type> arguments, results;
  for (auto buffer : getInputs().getAsRange<BufferAttr>())
    arguments.push_back(buffer.getElementType());
  llvm::append_range(arguments, getScalars().getTypes());
  for (auto buffer : getOutputs().getAsRange<BufferAttr>())
    results.push_back(buffer.getElementType());
  llvm::append_range(arguments, results);
  if (getBody().getArgumentTypes() != TypeRange(arguments))
    return emitOpError("region takes (")
           << getBody().getArgumentTypes() << "), expected (" << TypeRange(arguments)
           << "): the elements of the inputs, the scalars, the elements of the outputs";
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("region ends with '")
           << getBody().front().getTerminator()->getName() << "'; expected 'sdf.yield'";
  if (yield.getOperandTypes() != TypeRange(results))
    return emitOpError("region yields (") << yield.getOperandTypes() << "), expected (" << TypeRange(results)
                                          << "): the elements of the outputs";
  return success();
}

//===----------------------------------------------------------------------===//
// IndexOp
//===----------------------------------------------------------------------===//

LogicalResult IndexOp::verify() {
  auto compute = (*this)->getParentOfType<ComputeOp>();
  if (!compute)
    return emitOpError("stands outside of 'sdf.compute'");
  int64_t dim = getDim();
  if (dim < 0 || dim >= compute.getNumLoops())
    return emitOpError("names loop ")
           << dim << ", but the compute op has " << compute.getNumLoops() << " loops";
  return success();
}
