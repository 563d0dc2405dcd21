//===- SdfDialect.td - The sdf dialect itself -----------------*- tablegen -*-===//

#ifndef KTIR_SDF_DIALECT_TD
#define KTIR_SDF_DIALECT_TD

include "mlir/IR/OpBase.td"

def Sdf_Dialect : Dialect {
  let name = "sdf";
  let cppNamespace = "::mlir::sdf";
  let summary = "Programs of a Spyre core: transfers and compute on addressed scratchpad buffers";
  let description = [{
    The lowest level of the toolchain, and the one at which time exists. An `sdf.program` is what
    every core of a grid runs. Tensors are gone: data lies in *buffers*, places in a core's scratchpad
    that an attribute states, `#sdf.buffer<6144, 8x384xf16>`. Scalars are SSA values, computed with
    `arith`, `math` and `scf`.

    Each op runs on one engine of the core:

    | engine | ops |
    | --- | --- |
    | `load` | `sdf.read`, `sdf.gather`, `sdf.constant` |
    | `store` | `sdf.write`, `sdf.scatter` |
    | `matrix` | `sdf.compute matrix` |
    | `vector` | `sdf.compute vector`, `sdf.copy`, `sdf.reshape`, `sdf.extract` |
    | `ring` | `sdf.publish`, `sdf.receive` |

    Cores have no memory in common but device memory. One core gets data of another by `sdf.publish` and
    `sdf.receive`, or by a transfer `in core %c`, which reads or writes the scratchpad of that core. A
    core's number counts dimension 0 of the grid fastest; `sdf.by_core` looks up what differs from core
    to core.

    Ops take effect in the order of the program: an op sees what those before it have written. They
    have memory effects, so no upstream pass removes or reorders them.

    ```mlir
    sdf.program @scale(%x: index, %y: index) grid [32] {
      %two = arith.constant 2.0 : f16
      %core = sdf.core_id : index
      %row = affine.apply affine_map<(d0) -> (8 * d0)>(%core)
      sdf.read #sdf.buffer<0, 8x384xf16> from %x[%row, 0] bounds [250, 384] strides [384, 1]
      sdf.compute vector ins(#sdf.buffer<0, 8x384xf16>) scalars(%two : f16)
          outs(#sdf.buffer<6144, 8x384xf16>)
          {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
           iterator_types = ["parallel", "parallel"]} {
      ^bb0(%in: f16, %factor: f16, %out: f16):
        %r = arith.mulf %in, %factor : f16
        sdf.yield %r : f16
      }
      sdf.write #sdf.buffer<6144, 8x384xf16> to %y[%row, 0] bounds [250, 384] strides [384, 1]
      sdf.return
    }
    ```

    The verifiers read one limit from the module around an op: `sdf.scratchpad_bytes`, the size of a
    core's scratchpad (an integer; 2097152 if absent).
  }];

  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let hasOperationAttrVerify = 1;
}

class Sdf_Op<string mnemonic, list<Trait> traits = []> : Op<Sdf_Dialect, mnemonic, traits>;

#endif // KTIR_SDF_DIALECT_TD
