//===- KtdpAttrs.td - Memory spaces and small enums -----------*- tablegen -*-===//

#ifndef KTIR_KTDP_ATTRS_TD
#define KTIR_KTDP_ATTRS_TD

include "ktdp/KtdpDialect.td"
include "ktdp/KtdpInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

def Ktdp_SpyreMemoryKind : I32Enum<"SpyreMemoryKind", "a memory of the Spyre device", [
    I32EnumCase<"Unspecified", 0, "unspecified">,
    I32EnumCase<"LX", 1, "LX">,
    I32EnumCase<"HBM", 2, "HBM">,
    I32EnumCase<"L0", 3, "L0">,
  ]> {
  let cppNamespace = "::mlir::ktdp";
}

def Ktdp_SpyreMemorySpaceAttr : AttrDef<Ktdp_Dialect, "SpyreMemorySpace", [
    DeclareAttrInterfaceMethods<Ktdp_MemorySpaceInterface>
  ]> {
  let mnemonic = "spyre_memory_space";
  let summary = "a memory of the Spyre device, by its device name";
  let description = [{
    The spelling of the RFC:

    | written | meaning |
    | --- | --- |
    | `HBM` | device memory, shared by all cores |
    | `LX` | a core's scratchpad |
    | `L0` | a core's registers next to its compute units |
    | `unspecified` | not decided yet |

    `core = n` names the core whose `LX` or `L0` is meant, by its number in the grid; without it,
    it is the running core's own. The other two spaces have no core.

    ```mlir
    #ktdp.spyre_memory_space<HBM>
    #ktdp.spyre_memory_space<LX, core = 7>
    ```
  }];
  let parameters = (ins
    EnumParameter<Ktdp_SpyreMemoryKind>:$kind,
    OptionalParameter<"::std::optional<int64_t>", "owner of a core-local memory">:$core
  );
  let assemblyFormat = "`<` $kind (`,` `core` `=` $core^)? `>`";
  let genVerifyDecl = 1;
}

def Ktdp_MemoryKind : I32Enum<"MemoryKind", "a memory by its reach", [
    I32EnumCase<"Global", 0, "global">,
    I32EnumCase<"CtLocal", 1, "ct_local">,
  ]> {
  let cppNamespace = "::mlir::ktdp";
}

def Ktdp_MemorySpaceAttr : AttrDef<Ktdp_Dialect, "MemorySpace", [
    DeclareAttrInterfaceMethods<Ktdp_MemorySpaceInterface>
  ]> {
  let mnemonic = "memory_space";
  let summary = "a memory by its reach, without naming a device";
  let description = [{
    The newer, device-independent spelling: `global` is shared by all compute tiles, `ct_local`
    belongs to one. `ct_id = n` names that tile by its number in the grid; without it, it is the
    running tile's own.

    ```mlir
    #ktdp.memory_space<global>
    #ktdp.memory_space<ct_local, ct_id = 7>
    ```
  }];
  let parameters = (ins
    EnumParameter<Ktdp_MemoryKind>:$kind,
    OptionalParameter<"::std::optional<int64_t>", "owner of a tile-local memory">:$ctId
  );
  let assemblyFormat = "`<` $kind (`,` `ct_id` `=` $ctId^)? `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Enums of ops
//===----------------------------------------------------------------------===//

def Ktdp_RuntimeArgExtractKind : I32EnumAttr<"RuntimeArgExtractKind",
  "what to read from a runtime argument", [
    I32EnumAttrCase<"Value", 0, "value">,
    I32EnumAttrCase<"Granularity", 1, "granularity">,
    I32EnumAttrCase<"Upperbound", 2, "upperbound">,
  ]> {
  let cppNamespace = "::mlir::ktdp";
}

#endif // KTIR_KTDP_ATTRS_TD
