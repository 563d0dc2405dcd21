//===- DialectCAPI.h - C access to the dialects' types and attributes -----------===//
//
// Kinds and layouts are passed as the keywords of their textual form. Getters that find a text malformed
// return a null type or attribute after emitting a diagnostic.
//
//===----------------------------------------------------------------------===//
#ifndef KTIR_PYTHON_CAPI_DIALECTCAPI_H
#define KTIR_PYTHON_CAPI_DIALECTCAPI_H

#include "mlir-c/IR.h"
#include "mlir-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

// ktdp
MLIR_CAPI_EXPORTED bool ktirTypeIsAccessTile(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID ktirAccessTileTypeID(void);
MLIR_CAPI_EXPORTED MlirType ktirAccessTileGet(MlirContext context, intptr_t rank, const int64_t *shape);
MLIR_CAPI_EXPORTED intptr_t ktirAccessTileRank(MlirType type);
MLIR_CAPI_EXPORTED int64_t ktirAccessTileDim(MlirType type, intptr_t dim);

MLIR_CAPI_EXPORTED bool ktirTypeIsRuntimeArg(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID ktirRuntimeArgTypeID(void);
/// A promise of -1 is none.
MLIR_CAPI_EXPORTED MlirType ktirRuntimeArgGet(MlirType underlying, int64_t granularity, int64_t upperBound);
MLIR_CAPI_EXPORTED MlirType ktirRuntimeArgUnderlying(MlirType type);
/// The promise, or -1 where there is none.
MLIR_CAPI_EXPORTED int64_t ktirRuntimeArgGranularity(MlirType type);
MLIR_CAPI_EXPORTED int64_t ktirRuntimeArgUpperBound(MlirType type);

MLIR_CAPI_EXPORTED bool ktirTypeIsTileFuture(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID ktirTileFutureTypeID(void);
MLIR_CAPI_EXPORTED MlirType ktirTileFutureGet(MlirContext context, intptr_t numPartials,
                                              const MlirType *partials, MlirAttribute groups);
MLIR_CAPI_EXPORTED intptr_t ktirTileFutureNumPartials(MlirType type);
MLIR_CAPI_EXPORTED MlirType ktirTileFuturePartial(MlirType type, intptr_t number);
MLIR_CAPI_EXPORTED MlirAttribute ktirTileFutureGroups(MlirType type);

MLIR_CAPI_EXPORTED bool ktirAttrIsSpyreMemorySpace(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID ktirSpyreMemorySpaceTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute ktirSpyreMemorySpaceGet(MlirContext context, MlirStringRef kind,
                                                         int64_t core);
MLIR_CAPI_EXPORTED MlirStringRef ktirSpyreMemorySpaceKind(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t ktirSpyreMemorySpaceCore(MlirAttribute attr);

MLIR_CAPI_EXPORTED bool ktirAttrIsMemorySpace(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID ktirMemorySpaceTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute ktirMemorySpaceGet(MlirContext context, MlirStringRef kind, int64_t tile);
MLIR_CAPI_EXPORTED MlirStringRef ktirMemorySpaceKind(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t ktirMemorySpaceTile(MlirAttribute attr);

// plan
MLIR_CAPI_EXPORTED bool ktirAttrIsLayout(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID ktirLayoutTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute ktirLayoutGet(MlirContext context, MlirStringRef layout);
MLIR_CAPI_EXPORTED MlirStringRef ktirLayoutValue(MlirAttribute attr);

// sdf
MLIR_CAPI_EXPORTED bool ktirAttrIsBuffer(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID ktirBufferTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute ktirBufferGet(MlirContext context, int64_t address, intptr_t rank,
                                               const int64_t *shape, MlirType elementType);
MLIR_CAPI_EXPORTED int64_t ktirBufferAddress(MlirAttribute attr);
MLIR_CAPI_EXPORTED intptr_t ktirBufferRank(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t ktirBufferDim(MlirAttribute attr, intptr_t dim);
MLIR_CAPI_EXPORTED MlirType ktirBufferElementType(MlirAttribute attr);
MLIR_CAPI_EXPORTED int64_t ktirBufferBytes(MlirAttribute attr);

MLIR_CAPI_EXPORTED bool ktirTypeIsFuture(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID ktirFutureTypeID(void);
MLIR_CAPI_EXPORTED MlirType ktirFutureGet(MlirContext context);

MLIR_CAPI_EXPORTED bool ktirAttrIsEngine(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID ktirEngineTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute ktirEngineGet(MlirContext context, MlirStringRef engine);
MLIR_CAPI_EXPORTED MlirStringRef ktirEngineValue(MlirAttribute attr);

// spyreop
MLIR_CAPI_EXPORTED bool ktirTypeIsDF16(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID ktirDF16TypeID(void);
MLIR_CAPI_EXPORTED MlirType ktirDF16Get(MlirContext context);
MLIR_CAPI_EXPORTED bool ktirTypeIsDF16Fused(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID ktirDF16FusedTypeID(void);
MLIR_CAPI_EXPORTED MlirType ktirDF16FusedGet(MlirContext context);
MLIR_CAPI_EXPORTED bool ktirTypeIsFP16Fused(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID ktirFP16FusedTypeID(void);
MLIR_CAPI_EXPORTED MlirType ktirFP16FusedGet(MlirContext context);
MLIR_CAPI_EXPORTED bool ktirTypeIsFP32Fused(MlirType type);
MLIR_CAPI_EXPORTED MlirTypeID ktirFP32FusedTypeID(void);
MLIR_CAPI_EXPORTED MlirType ktirFP32FusedGet(MlirContext context);

MLIR_CAPI_EXPORTED bool ktirAttrIsReductionKind(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID ktirReductionKindTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute ktirReductionKindGet(MlirContext context, MlirStringRef keyword);
MLIR_CAPI_EXPORTED MlirStringRef ktirReductionKindValue(MlirAttribute attr);
MLIR_CAPI_EXPORTED bool ktirAttrIsReductionScope(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID ktirReductionScopeTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute ktirReductionScopeGet(MlirContext context, MlirStringRef keyword);
MLIR_CAPI_EXPORTED MlirStringRef ktirReductionScopeValue(MlirAttribute attr);
MLIR_CAPI_EXPORTED bool ktirAttrIsComparePredicate(MlirAttribute attr);
MLIR_CAPI_EXPORTED MlirTypeID ktirComparePredicateTypeID(void);
MLIR_CAPI_EXPORTED MlirAttribute ktirComparePredicateGet(MlirContext context, MlirStringRef keyword);
MLIR_CAPI_EXPORTED MlirStringRef ktirComparePredicateValue(MlirAttribute attr);

#ifdef __cplusplus
}
#endif

#endif // KTIR_PYTHON_CAPI_DIALECTCAPI_H
