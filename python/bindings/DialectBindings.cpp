//===- DialectBindings.cpp - The Python module _ktirDialects --------------------===//
#include "capi/DialectCAPI.h"

#include "mlir/Bindings/Python/NanobindAdaptors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir::python::nanobind_adaptors;

namespace {

MlirStringRef ref(const std::string &text) { return mlirStringRefCreate(text.data(), text.size()); }
std::string toString(MlirStringRef text) { return std::string(text.data, text.length); }

std::optional<int64_t> optional(int64_t value) {
  return value < 0 ? std::nullopt : std::optional<int64_t>(value);
}

MlirType checked(MlirType type, const std::string &what) {
  if (mlirTypeIsNull(type))
    throw nb::value_error(("invalid " + what + "; the diagnostic says why").c_str());
  return type;
}

MlirAttribute checked(MlirAttribute attr, const std::string &what) {
  if (mlirAttributeIsNull(attr))
    throw nb::value_error(("invalid " + what + "; the diagnostic says why").c_str());
  return attr;
}

void bindKtdp(nb::module_ &m) {
  mlir_type_subclass(m, "AccessTileType", ktirTypeIsAccessTile, ktirAccessTileTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::vector<int64_t> &shape, MlirContext context) {
            return cls(ktirAccessTileGet(context, static_cast<intptr_t>(shape.size()), shape.data()));
          },
          nb::arg("cls"), nb::arg("shape"), nb::arg("context") = nb::none(),
          "The type of a tile of coordinates of the given shape.")
      .def_property_readonly("shape", [](MlirType self) {
        std::vector<int64_t> shape;
        for (intptr_t dim = 0; dim < ktirAccessTileRank(self); ++dim)
          shape.push_back(ktirAccessTileDim(self, dim));
        return shape;
      });

  mlir_type_subclass(m, "RuntimeArgType", ktirTypeIsRuntimeArg, ktirRuntimeArgTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, MlirType underlying, std::optional<int64_t> granularity,
             std::optional<int64_t> upperBound) {
            return cls(checked(
                ktirRuntimeArgGet(underlying, granularity.value_or(-1), upperBound.value_or(-1)), "type"));
          },
          nb::arg("cls"), nb::arg("underlying_type"), nb::arg("granularity") = nb::none(),
          nb::arg("upper_bound") = nb::none(), "The type of a scalar known only at launch, with promises.")
      .def_property_readonly("underlying_type", [](MlirType self) { return ktirRuntimeArgUnderlying(self); })
      .def_property_readonly("granularity",
                             [](MlirType self) { return optional(ktirRuntimeArgGranularity(self)); })
      .def_property_readonly("upper_bound",
                             [](MlirType self) { return optional(ktirRuntimeArgUpperBound(self)); });

  mlir_type_subclass(m, "TileFutureType", ktirTypeIsTileFuture, ktirTileFutureTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::vector<MlirType> &partials, MlirAttribute groups,
             MlirContext context) {
            return cls(checked(
                ktirTileFutureGet(context, static_cast<intptr_t>(partials.size()), partials.data(), groups),
                "future"));
          },
          nb::arg("cls"), nb::arg("partial_types"), nb::arg("groups"), nb::arg("context") = nb::none(),
          "What cores publish: one tensor type a role, and the integer set of the groups.")
      .def_property_readonly("partial_types",
                             [](MlirType self) {
                               std::vector<MlirType> types;
                               for (intptr_t i = 0; i < ktirTileFutureNumPartials(self); ++i)
                                 types.push_back(ktirTileFuturePartial(self, i));
                               return types;
                             })
      .def_property_readonly("groups", [](MlirType self) { return ktirTileFutureGroups(self); });

  mlir_attribute_subclass(m, "SpyreMemorySpaceAttr", ktirAttrIsSpyreMemorySpace, ktirSpyreMemorySpaceTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &kind, std::optional<int64_t> core,
             MlirContext context) {
            return cls(
                checked(ktirSpyreMemorySpaceGet(context, ref(kind), core.value_or(-1)), "memory space"));
          },
          nb::arg("cls"), nb::arg("kind"), nb::arg("core") = nb::none(), nb::arg("context") = nb::none(),
          "A memory of the device by its name: HBM, LX, L0 or unspecified.")
      .def_property_readonly("kind",
                             [](MlirAttribute self) { return toString(ktirSpyreMemorySpaceKind(self)); })
      .def_property_readonly("core",
                             [](MlirAttribute self) { return optional(ktirSpyreMemorySpaceCore(self)); });

  mlir_attribute_subclass(m, "MemorySpaceAttr", ktirAttrIsMemorySpace, ktirMemorySpaceTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &kind, std::optional<int64_t> tile,
             MlirContext context) {
            return cls(checked(ktirMemorySpaceGet(context, ref(kind), tile.value_or(-1)), "memory space"));
          },
          nb::arg("cls"), nb::arg("kind"), nb::arg("ct_id") = nb::none(), nb::arg("context") = nb::none(),
          "A memory by its reach: global or ct_local.")
      .def_property_readonly("kind", [](MlirAttribute self) { return toString(ktirMemorySpaceKind(self)); })
      .def_property_readonly("ct_id", [](MlirAttribute self) { return optional(ktirMemorySpaceTile(self)); });
}

void bindPlan(nb::module_ &m) {
  mlir_attribute_subclass(m, "LayoutAttr", ktirAttrIsLayout, ktirLayoutTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &layout, MlirContext context) {
            return cls(checked(ktirLayoutGet(context, ref(layout)), "layout"));
          },
          nb::arg("cls"), nb::arg("layout"), nb::arg("context") = nb::none(),
          "A layout in device memory: dense or sticks.")
      .def_property_readonly("value", [](MlirAttribute self) { return toString(ktirLayoutValue(self)); });
}

void bindSdf(nb::module_ &m) {
  mlir_attribute_subclass(m, "BufferAttr", ktirAttrIsBuffer, ktirBufferTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, int64_t address, const std::vector<int64_t> &shape, MlirType elementType,
             MlirContext context) {
            return cls(checked(ktirBufferGet(context, address, static_cast<intptr_t>(shape.size()),
                                             shape.data(), elementType),
                               "buffer"));
          },
          nb::arg("cls"), nb::arg("address"), nb::arg("shape"), nb::arg("element_type"),
          nb::arg("context") = nb::none(), "A place in the scratchpad; the address in bytes.")
      .def_property_readonly("address", [](MlirAttribute self) { return ktirBufferAddress(self); })
      .def_property_readonly("shape",
                             [](MlirAttribute self) {
                               std::vector<int64_t> shape;
                               for (intptr_t dim = 0; dim < ktirBufferRank(self); ++dim)
                                 shape.push_back(ktirBufferDim(self, dim));
                               return shape;
                             })
      .def_property_readonly("element_type", [](MlirAttribute self) { return ktirBufferElementType(self); })
      .def_property_readonly("bytes", [](MlirAttribute self) { return ktirBufferBytes(self); });

  mlir_type_subclass(m, "FutureType", ktirTypeIsFuture, ktirFutureTypeID)
      .def_classmethod(
          "get", [](const nb::object &cls, MlirContext context) { return cls(ktirFutureGet(context)); },
          nb::arg("cls"), nb::arg("context") = nb::none(), "What cores have published.");

  mlir_attribute_subclass(m, "EngineAttr", ktirAttrIsEngine, ktirEngineTypeID)
      .def_classmethod(
          "get",
          [](const nb::object &cls, const std::string &engine, MlirContext context) {
            return cls(checked(ktirEngineGet(context, ref(engine)), "engine"));
          },
          nb::arg("cls"), nb::arg("engine"), nb::arg("context") = nb::none(),
          "An engine of a core: load, store, matrix, vector or ring.")
      .def_property_readonly("value", [](MlirAttribute self) { return toString(ktirEngineValue(self)); });
}

/// A type without parameters.
void bindNumber(nb::module_ &m, const char *name, bool (*is)(MlirType), MlirTypeID (*id)(),
                MlirType (*get)(MlirContext), const char *doc) {
  mlir_type_subclass(m, name, is, id)
      .def_classmethod(
          "get", [get](const nb::object &cls, MlirContext context) { return cls(get(context)); },
          nb::arg("cls"), nb::arg("context") = nb::none(), doc);
}

/// An attribute that is one of several keywords.
void bindKeyword(nb::module_ &m, const char *name, bool (*is)(MlirAttribute), MlirTypeID (*id)(),
                 MlirAttribute (*get)(MlirContext, MlirStringRef), MlirStringRef (*value)(MlirAttribute),
                 const char *doc) {
  mlir_attribute_subclass(m, name, is, id)
      .def_classmethod(
          "get",
          [get, name](const nb::object &cls, const std::string &keyword, MlirContext context) {
            return cls(checked(get(context, ref(keyword)), name));
          },
          nb::arg("cls"), nb::arg("keyword"), nb::arg("context") = nb::none(), doc)
      .def_property_readonly("value", [value](MlirAttribute self) { return toString(value(self)); });
}

void bindSpyreOp(nb::module_ &m) {
  bindNumber(m, "DF16Type", ktirTypeIsDF16, ktirDF16TypeID, ktirDF16Get, "The device's own 16-bit float.");
  bindNumber(m, "DF16FusedType", ktirTypeIsDF16Fused, ktirDF16FusedTypeID, ktirDF16FusedGet,
             "A pair of df16 numbers.");
  bindNumber(m, "FP16FusedType", ktirTypeIsFP16Fused, ktirFP16FusedTypeID, ktirFP16FusedGet,
             "A pair of f16 numbers.");
  bindNumber(m, "FP32FusedType", ktirTypeIsFP32Fused, ktirFP32FusedTypeID, ktirFP32FusedGet,
             "A pair of f32 numbers.");
  bindKeyword(m, "ReductionKindAttr", ktirAttrIsReductionKind, ktirReductionKindTypeID, ktirReductionKindGet,
              ktirReductionKindValue, "How a slice is reduced: add, sub, max, min, mul or abs_max.");
  bindKeyword(m, "ReductionScopeAttr", ktirAttrIsReductionScope, ktirReductionScopeTypeID,
              ktirReductionScopeGet, ktirReductionScopeValue, "in_slice or across_slice.");
  bindKeyword(m, "ComparePredicateAttr", ktirAttrIsComparePredicate, ktirComparePredicateTypeID,
              ktirComparePredicateGet, ktirComparePredicateValue,
              "equal, notequal, greaterthan, greaterequal, lesserthan or lesserequal.");
}

} // namespace

// A module of its own: upstream's bindings have to be complete before classes can derive from theirs, and
// they import _ktir.
NB_MODULE(_ktirDialects, m) {
  m.doc() = "Types and attributes of the ktdp, plan, sdf and spyreop dialects";
  bindKtdp(m);
  bindPlan(m);
  bindSdf(m);
  bindSpyreOp(m);
}
