//===- Bytecode.cpp - Types that bytecode cannot hold as text -------------===//
//
// MLIR writes a type without an encoding of its own as text. The set in a future has `>=` in it, which the
// parser takes for the end of the type, so futures are encoded here. Everything else stays text.
//
//===----------------------------------------------------------------------===//

#include "InterTile.h"
#include "ktdp/Ktdp.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

using namespace mlir;
using namespace mlir::ktdp;

namespace {

/// The codes of encoded types. They are part of the format: a code once given keeps its meaning.
enum TypeCode : uint64_t { tileFuture = 0 };

struct KtdpBytecodeInterface : public BytecodeDialectInterface {
  KtdpBytecodeInterface(Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  LogicalResult writeType(Type type, DialectBytecodeWriter &writer) const override {
    auto future = dyn_cast<TileFutureType>(type);
    if (!future)
      return failure();
    writer.writeVarInt(TypeCode::tileFuture);
    writer.writeTypes(future.getPartialTypes());
    writer.writeAttribute(future.getGroups());
    return success();
  }

  Type readType(DialectBytecodeReader &reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code != TypeCode::tileFuture) {
      reader.emitError("unknown code ") << code << " of a type of ktdp; expected " << TypeCode::tileFuture;
      return {};
    }
    SmallVector<RankedTensorType> partials;
    IntegerSetAttr groups;
    if (failed(reader.readTypes(partials)) || failed(reader.readAttribute(groups)))
      return {};
    return TileFutureType::getChecked([&] { return reader.emitError(); }, getContext(),
                                      ArrayRef<RankedTensorType>(partials), groups);
  }
};

} // namespace

void mlir::ktdp::addBytecodeInterface(KtdpDialect &dialect) {
  dialect.addInterfaces<KtdpBytecodeInterface>();
}
