//===- Attrs.cpp - Memory spaces ------------------------------------------===//

#include "ktdp/Ktdp.h"

using namespace mlir;
using namespace mlir::ktdp;

//===----------------------------------------------------------------------===//
// SpyreMemorySpaceAttr
//===----------------------------------------------------------------------===//

LogicalResult SpyreMemorySpaceAttr::verify(function_ref<InFlightDiagnostic()> emitError, SpyreMemoryKind kind,
                                           std::optional<int64_t> core) {
  if (!core)
    return success();
  if (kind != SpyreMemoryKind::LX && kind != SpyreMemoryKind::L0)
    return emitError() << "core affinity is only valid for LX or L0 memory spaces, but got memory space '"
                       << stringifySpyreMemoryKind(kind) << "' with core = " << *core;
  if (*core < 0)
    return emitError() << "core = " << *core << " in a memory space; cores are numbered from 0";
  return success();
}

bool SpyreMemorySpaceAttr::isGlobal() const { return getKind() == SpyreMemoryKind::HBM; }

bool SpyreMemorySpaceAttr::isCoreLocal() const {
  return getKind() == SpyreMemoryKind::LX || getKind() == SpyreMemoryKind::L0;
}

std::optional<int64_t> SpyreMemorySpaceAttr::getOwningCore() const { return getCore(); }

//===----------------------------------------------------------------------===//
// MemorySpaceAttr
//===----------------------------------------------------------------------===//

LogicalResult MemorySpaceAttr::verify(function_ref<InFlightDiagnostic()> emitError, MemoryKind kind,
                                      std::optional<int64_t> ctId) {
  if (!ctId)
    return success();
  if (kind != MemoryKind::CtLocal)
    return emitError() << "ct_id is only valid for ct_local memory spaces, but got memory space '"
                       << stringifyMemoryKind(kind) << "' with ct_id = " << *ctId << "; leave 'ct_id' out";
  if (*ctId < 0)
    return emitError() << "ct_id = " << *ctId << " in a memory space; compute tiles are numbered from 0";
  return success();
}

bool MemorySpaceAttr::isGlobal() const { return getKind() == MemoryKind::Global; }

bool MemorySpaceAttr::isCoreLocal() const { return getKind() == MemoryKind::CtLocal; }

std::optional<int64_t> MemorySpaceAttr::getOwningCore() const { return getCtId(); }
