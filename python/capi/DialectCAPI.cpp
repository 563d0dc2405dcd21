//===- DialectCAPI.cpp - C access to the dialects' types and attributes ---------===//
#include "capi/DialectCAPI.h"

#include "ktdp/Ktdp.h"
#include "plan/Plan.h"
#include "sdf/Sdf.h"
#include "spyreop/SpyreOp.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

/// Looks an enum's keyword up; a null attribute after a diagnostic if there is no such keyword.
template <typename Attr, typename Kind, typename Make>
static MlirAttribute fromKeyword(MlirContext context, MlirStringRef keyword, std::optional<Kind> kind,
                                 StringRef what, Make make) {
  if (kind)
    return wrap(Attribute(make(*kind)));
  emitError(UnknownLoc::get(unwrap(context))) << "'" << unwrap(keyword) << "' is not " << what;
  return MlirAttribute{nullptr};
}

static std::optional<int64_t> optional(int64_t value) {
  return value < 0 ? std::nullopt : std::optional<int64_t>(value);
}

// ktdp

bool ktirTypeIsAccessTile(MlirType type) { return isa<ktdp::AccessTileType>(unwrap(type)); }
MlirTypeID ktirAccessTileTypeID(void) { return wrap(ktdp::AccessTileType::getTypeID()); }
MlirType ktirAccessTileGet(MlirContext context, intptr_t rank, const int64_t *shape) {
  auto emit = [&] { return emitError(UnknownLoc::get(unwrap(context))); };
  return wrap(Type(ktdp::AccessTileType::getChecked(emit, unwrap(context), ArrayRef<int64_t>(shape, rank))));
}
intptr_t ktirAccessTileRank(MlirType type) {
  return static_cast<intptr_t>(cast<ktdp::AccessTileType>(unwrap(type)).getShape().size());
}
int64_t ktirAccessTileDim(MlirType type, intptr_t dim) {
  return cast<ktdp::AccessTileType>(unwrap(type)).getShape()[dim];
}

bool ktirTypeIsRuntimeArg(MlirType type) { return isa<ktdp::RuntimeArgType>(unwrap(type)); }
MlirTypeID ktirRuntimeArgTypeID(void) { return wrap(ktdp::RuntimeArgType::getTypeID()); }
MlirType ktirRuntimeArgGet(MlirType underlying, int64_t granularity, int64_t upperBound) {
  MLIRContext *context = unwrap(underlying).getContext();
  auto emit = [&] { return emitError(UnknownLoc::get(context)); };
  return wrap(Type(ktdp::RuntimeArgType::getChecked(emit, context, unwrap(underlying), optional(granularity),
                                                    optional(upperBound))));
}
MlirType ktirRuntimeArgUnderlying(MlirType type) {
  return wrap(cast<ktdp::RuntimeArgType>(unwrap(type)).getUnderlyingType());
}
int64_t ktirRuntimeArgGranularity(MlirType type) {
  return cast<ktdp::RuntimeArgType>(unwrap(type)).getGranularity().value_or(-1);
}
int64_t ktirRuntimeArgUpperBound(MlirType type) {
  return cast<ktdp::RuntimeArgType>(unwrap(type)).getUpperbound().value_or(-1);
}

bool ktirTypeIsTileFuture(MlirType type) { return isa<ktdp::TileFutureType>(unwrap(type)); }
MlirTypeID ktirTileFutureTypeID(void) { return wrap(ktdp::TileFutureType::getTypeID()); }
MlirType ktirTileFutureGet(MlirContext context, intptr_t numPartials, const MlirType *partials,
                           MlirAttribute groups) {
  auto emit = [&] { return emitError(UnknownLoc::get(unwrap(context))); };
  SmallVector<RankedTensorType> tensors;
  for (intptr_t number = 0; number < numPartials; ++number) {
    auto tensor = dyn_cast<RankedTensorType>(unwrap(partials[number]));
    if (!tensor) {
      emit() << unwrap(partials[number]) << " is not a tensor with a rank";
      return MlirType{nullptr};
    }
    tensors.push_back(tensor);
  }
  auto set = dyn_cast<IntegerSetAttr>(unwrap(groups));
  if (!set) {
    emit() << unwrap(groups) << " is not an integer set";
    return MlirType{nullptr};
  }
  return wrap(Type(
      ktdp::TileFutureType::getChecked(emit, unwrap(context), ArrayRef<RankedTensorType>(tensors), set)));
}
intptr_t ktirTileFutureNumPartials(MlirType type) {
  return static_cast<intptr_t>(cast<ktdp::TileFutureType>(unwrap(type)).getPartialTypes().size());
}
MlirType ktirTileFuturePartial(MlirType type, intptr_t number) {
  return wrap(Type(cast<ktdp::TileFutureType>(unwrap(type)).getPartialTypes()[number]));
}
MlirAttribute ktirTileFutureGroups(MlirType type) {
  return wrap(Attribute(cast<ktdp::TileFutureType>(unwrap(type)).getGroups()));
}

bool ktirAttrIsSpyreMemorySpace(MlirAttribute attr) { return isa<ktdp::SpyreMemorySpaceAttr>(unwrap(attr)); }
MlirTypeID ktirSpyreMemorySpaceTypeID(void) { return wrap(ktdp::SpyreMemorySpaceAttr::getTypeID()); }
MlirAttribute ktirSpyreMemorySpaceGet(MlirContext context, MlirStringRef kind, int64_t core) {
  return fromKeyword<ktdp::SpyreMemorySpaceAttr>(
      context, kind, ktdp::symbolizeSpyreMemoryKind(unwrap(kind)), "a memory of the device",
      [&](auto value) { return ktdp::SpyreMemorySpaceAttr::get(unwrap(context), value, optional(core)); });
}
MlirStringRef ktirSpyreMemorySpaceKind(MlirAttribute attr) {
  return wrap(ktdp::stringifySpyreMemoryKind(cast<ktdp::SpyreMemorySpaceAttr>(unwrap(attr)).getKind()));
}
int64_t ktirSpyreMemorySpaceCore(MlirAttribute attr) {
  return cast<ktdp::SpyreMemorySpaceAttr>(unwrap(attr)).getCore().value_or(-1);
}

bool ktirAttrIsMemorySpace(MlirAttribute attr) { return isa<ktdp::MemorySpaceAttr>(unwrap(attr)); }
MlirTypeID ktirMemorySpaceTypeID(void) { return wrap(ktdp::MemorySpaceAttr::getTypeID()); }
MlirAttribute ktirMemorySpaceGet(MlirContext context, MlirStringRef kind, int64_t tile) {
  return fromKeyword<ktdp::MemorySpaceAttr>(
      context, kind, ktdp::symbolizeMemoryKind(unwrap(kind)), "a kind of memory",
      [&](auto value) { return ktdp::MemorySpaceAttr::get(unwrap(context), value, optional(tile)); });
}
MlirStringRef ktirMemorySpaceKind(MlirAttribute attr) {
  return wrap(ktdp::stringifyMemoryKind(cast<ktdp::MemorySpaceAttr>(unwrap(attr)).getKind()));
}
int64_t ktirMemorySpaceTile(MlirAttribute attr) {
  return cast<ktdp::MemorySpaceAttr>(unwrap(attr)).getCtId().value_or(-1);
}

// plan

bool ktirAttrIsLayout(MlirAttribute attr) { return isa<plan::LayoutAttr>(unwrap(attr)); }
MlirTypeID ktirLayoutTypeID(void) { return wrap(plan::LayoutAttr::getTypeID()); }
MlirAttribute ktirLayoutGet(MlirContext context, MlirStringRef layout) {
  return fromKeyword<plan::LayoutAttr>(
      context, layout, plan::symbolizeLayout(unwrap(layout)), "a layout",
      [&](auto value) { return plan::LayoutAttr::get(unwrap(context), value); });
}
MlirStringRef ktirLayoutValue(MlirAttribute attr) {
  return wrap(plan::stringifyLayout(cast<plan::LayoutAttr>(unwrap(attr)).getValue()));
}

// sdf

bool ktirAttrIsBuffer(MlirAttribute attr) { return isa<sdf::BufferAttr>(unwrap(attr)); }
MlirTypeID ktirBufferTypeID(void) { return wrap(sdf::BufferAttr::getTypeID()); }
MlirAttribute ktirBufferGet(MlirContext context, int64_t address, intptr_t rank, const int64_t *shape,
                            MlirType elementType) {
  auto emit = [&] { return emitError(UnknownLoc::get(unwrap(context))); };
  return wrap(Attribute(sdf::BufferAttr::getChecked(emit, unwrap(context), address,
                                                    ArrayRef<int64_t>(shape, rank), unwrap(elementType))));
}
int64_t ktirBufferAddress(MlirAttribute attr) { return cast<sdf::BufferAttr>(unwrap(attr)).getAddress(); }
intptr_t ktirBufferRank(MlirAttribute attr) {
  return static_cast<intptr_t>(cast<sdf::BufferAttr>(unwrap(attr)).getRank());
}
int64_t ktirBufferDim(MlirAttribute attr, intptr_t dim) {
  return cast<sdf::BufferAttr>(unwrap(attr)).getShape()[dim];
}
MlirType ktirBufferElementType(MlirAttribute attr) {
  return wrap(cast<sdf::BufferAttr>(unwrap(attr)).getElementType());
}
int64_t ktirBufferBytes(MlirAttribute attr) { return cast<sdf::BufferAttr>(unwrap(attr)).getSizeInBytes(); }

bool ktirTypeIsFuture(MlirType type) { return isa<sdf::FutureType>(unwrap(type)); }
MlirTypeID ktirFutureTypeID(void) { return wrap(sdf::FutureType::getTypeID()); }
MlirType ktirFutureGet(MlirContext context) { return wrap(Type(sdf::FutureType::get(unwrap(context)))); }

bool ktirAttrIsEngine(MlirAttribute attr) { return isa<sdf::EngineAttr>(unwrap(attr)); }
MlirTypeID ktirEngineTypeID(void) { return wrap(sdf::EngineAttr::getTypeID()); }
MlirAttribute ktirEngineGet(MlirContext context, MlirStringRef engine) {
  return fromKeyword<sdf::EngineAttr>(
      context, engine, sdf::symbolizeEngine(unwrap(engine)), "an engine",
      [&](auto value) { return sdf::EngineAttr::get(unwrap(context), value); });
}
MlirStringRef ktirEngineValue(MlirAttribute attr) {
  return wrap(sdf::stringifyEngine(cast<sdf::EngineAttr>(unwrap(attr)).getValue()));
}

// spyreop

bool ktirTypeIsDF16(MlirType type) { return isa<spyreop::DF16Type>(unwrap(type)); }
MlirTypeID ktirDF16TypeID(void) { return wrap(spyreop::DF16Type::getTypeID()); }
MlirType ktirDF16Get(MlirContext context) { return wrap(Type(spyreop::DF16Type::get(unwrap(context)))); }
bool ktirTypeIsDF16Fused(MlirType type) { return isa<spyreop::DF16FusedType>(unwrap(type)); }
MlirTypeID ktirDF16FusedTypeID(void) { return wrap(spyreop::DF16FusedType::getTypeID()); }
MlirType ktirDF16FusedGet(MlirContext context) {
  return wrap(Type(spyreop::DF16FusedType::get(unwrap(context))));
}
bool ktirTypeIsFP16Fused(MlirType type) { return isa<spyreop::FP16FusedType>(unwrap(type)); }
MlirTypeID ktirFP16FusedTypeID(void) { return wrap(spyreop::FP16FusedType::getTypeID()); }
MlirType ktirFP16FusedGet(MlirContext context) {
  return wrap(Type(spyreop::FP16FusedType::get(unwrap(context))));
}
bool ktirTypeIsFP32Fused(MlirType type) { return isa<spyreop::FP32FusedType>(unwrap(type)); }
MlirTypeID ktirFP32FusedTypeID(void) { return wrap(spyreop::FP32FusedType::getTypeID()); }
MlirType ktirFP32FusedGet(MlirContext context) {
  return wrap(Type(spyreop::FP32FusedType::get(unwrap(context))));
}

bool ktirAttrIsReductionKind(MlirAttribute attr) { return isa<spyreop::ReductionKindAttr>(unwrap(attr)); }
MlirTypeID ktirReductionKindTypeID(void) { return wrap(spyreop::ReductionKindAttr::getTypeID()); }
MlirAttribute ktirReductionKindGet(MlirContext context, MlirStringRef keyword) {
  return fromKeyword<spyreop::ReductionKindAttr>(
      context, keyword, spyreop::symbolizeReductionKind(unwrap(keyword)), "a kind of reduction",
      [&](auto value) { return spyreop::ReductionKindAttr::get(unwrap(context), value); });
}
MlirStringRef ktirReductionKindValue(MlirAttribute attr) {
  return wrap(spyreop::stringifyReductionKind(cast<spyreop::ReductionKindAttr>(unwrap(attr)).getValue()));
}

bool ktirAttrIsReductionScope(MlirAttribute attr) { return isa<spyreop::ReductionScopeAttr>(unwrap(attr)); }
MlirTypeID ktirReductionScopeTypeID(void) { return wrap(spyreop::ReductionScopeAttr::getTypeID()); }
MlirAttribute ktirReductionScopeGet(MlirContext context, MlirStringRef keyword) {
  return fromKeyword<spyreop::ReductionScopeAttr>(
      context, keyword, spyreop::symbolizeReductionScope(unwrap(keyword)), "a scope of a reduction",
      [&](auto value) { return spyreop::ReductionScopeAttr::get(unwrap(context), value); });
}
MlirStringRef ktirReductionScopeValue(MlirAttribute attr) {
  return wrap(spyreop::stringifyReductionScope(cast<spyreop::ReductionScopeAttr>(unwrap(attr)).getValue()));
}

bool ktirAttrIsComparePredicate(MlirAttribute attr) {
  return isa<spyreop::ComparePredicateAttr>(unwrap(attr));
}
MlirTypeID ktirComparePredicateTypeID(void) { return wrap(spyreop::ComparePredicateAttr::getTypeID()); }
MlirAttribute ktirComparePredicateGet(MlirContext context, MlirStringRef keyword) {
  return fromKeyword<spyreop::ComparePredicateAttr>(
      context, keyword, spyreop::symbolizeComparePredicate(unwrap(keyword)), "a comparison",
      [&](auto value) { return spyreop::ComparePredicateAttr::get(unwrap(context), value); });
}
MlirStringRef ktirComparePredicateValue(MlirAttribute attr) {
  return wrap(
      spyreop::stringifyComparePredicate(cast<spyreop::ComparePredicateAttr>(unwrap(attr)).getValue()));
}
