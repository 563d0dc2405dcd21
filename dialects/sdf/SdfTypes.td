//===- SdfTypes.td - Futures ----------------------------------*- tablegen -*-===//

#ifndef KTIR_SDF_TYPES_TD
#define KTIR_SDF_TYPES_TD

include "sdf/SdfDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Sdf_FutureType : TypeDef<Sdf_Dialect, "Future"> {
  let mnemonic = "future";
  let summary = "what cores have published";
  let description = [{
    Ties an `sdf.receive` to the `sdf.publish` whose contents it takes.

    ```mlir
    !sdf.future
    ```
  }];
}

#endif // KTIR_SDF_TYPES_TD
