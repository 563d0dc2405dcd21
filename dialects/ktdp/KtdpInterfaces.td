//===- KtdpInterfaces.td - What every memory space can say ----*- tablegen -*-===//

#ifndef KTIR_KTDP_INTERFACES_TD
#define KTIR_KTDP_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Ktdp_MemorySpaceInterface : AttrInterface<"MemorySpaceInterface"> {
  let cppNamespace = "::mlir::ktdp";
  let description = [{
    A memory space of a view. Two spellings exist in public KTIR, one attribute each; both answer
    these questions, so nothing else needs to know which one was written.
  }];
  let methods = [
    InterfaceMethod<"True for memory that all cores share.", "bool", "isGlobal">,
    InterfaceMethod<"True for memory that belongs to one core.", "bool", "isCoreLocal">,
    InterfaceMethod<[{
      The core whose local memory is meant; nullopt if it is the running core's own, or if the space
      is not local to a core.
    }], "::std::optional<int64_t>", "getOwningCore">,
  ];
}

#endif // KTIR_KTDP_INTERFACES_TD
