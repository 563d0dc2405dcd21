//===- SpyreOpDialect.td - The spyreop dialect itself ---------*- tablegen -*-===//

#ifndef KTIR_SPYREOP_DIALECT_TD
#define KTIR_SPYREOP_DIALECT_TD

include "mlir/IR/OpBase.td"

def SpyreOp_Dialect : Dialect {
  let name = "spyreop";
  let cppNamespace = "::mlir::spyreop";
  let summary = "Intrinsics of the Spyre device: one instruction each, on scalars";
  let description = [{
    What the device computes in one instruction and a kernel wants by name, in the body of a
    `linalg.generic`. The ops, their names and their syntax are those of the public definition
    (`torch-spyre/ktir-mlir-frontend`), so IR printed by one tool is read by the other.

    ```mlir
    #id = affine_map<(d0) -> (d0)>

    func.func @silu(%x: tensor<64xf16>, %out: tensor<64xf16>) -> tensor<64xf16> {
      %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
          ins(%x : tensor<64xf16>) outs(%out : tensor<64xf16>) {
      ^bb0(%in: f16, %old: f16):
        %s = spyreop.silu %in : f16
        linalg.yield %s : f16
      } -> tensor<64xf16>
      return %y : tensor<64xf16>
    }
    ```
  }];

  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class SpyreOp_Op<string mnemonic, list<Trait> traits = []> : Op<SpyreOp_Dialect, mnemonic, traits>;

#endif // KTIR_SPYREOP_DIALECT_TD
