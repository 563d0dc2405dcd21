//===- SdfRingOps.td - From core to core ----------------------*- tablegen -*-===//

#ifndef KTIR_SDF_RING_OPS_TD
#define KTIR_SDF_RING_OPS_TD

include "sdf/SdfAttrs.td"
include "sdf/SdfTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdf_ByCoreOp : Sdf_Op<"by_core", [Pure]> {
  let summary = "an entry of a constant table with one row a core";
  let description = [{
    The row is the running core's number, dimension 0 of the grid counted fastest; the operands select
    the entry in the row, one a further dimension of the table. An operand is inside its dimension.

    ```mlir
    // how many sources each of four cores has, and which they are
    %n = sdf.by_core dense<[2, 0, 2, 0]> : tensor<4xi64> : index
    %source = sdf.by_core dense<[[0, 1], [0, 0], [0, 1], [0, 0]]> : tensor<4x2xi64>[%k] : index
    ```
  }];
  let arguments = (ins Sdf_TableAttr:$table, Variadic<Index>:$indices);
  let results = (outs Index:$result);
  let assemblyFormat = "$table (`` `[` $indices^ `]`)? attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Sdf_PublishOp : Sdf_Op<"publish", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "makes the contents of buffers visible to other cores";
  let description = [{
    Each core that `producers` lists publishes the present contents of its own buffers: what is
    written to them later is not seen by those who receive. Other cores do nothing. Cores are
    numbered with dimension 0 of the grid fastest; the list ascends. Engine: `ring`.

    The future is used by `sdf.receive`, in the same block or in nested ones.

    ```mlir
    %f = sdf.publish #sdf.buffer<0, 1x64xf16> producers [0, 1, 4] : !sdf.future
    ```
  }];
  let arguments = (ins Sdf_BufferArrayAttr:$buffers, DenseI64ArrayAttr:$producers);
  let results = (outs Sdf_FutureType:$future);
  let assemblyFormat = [{
    custom<BufferList>($buffers) `producers` $producers attr-dict `:` type($future)
  }];
  let hasVerifier = 1;
}

def Sdf_ReceiveOp : Sdf_Op<"receive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fills buffers with what another core published";
  let description = [{
    Waits until core `core` has executed the `sdf.publish` of the future as often as the running core,
    and copies what it published then; one buffer each, of the same shape and element type. A core that
    never publishes makes a deadlock. Engine: `ring`.

    ```mlir
    sdf.receive #sdf.buffer<128, 1x64xf16> from core %source of %f
    ```
  }];
  let arguments = (ins Sdf_BufferArrayAttr:$buffers, Index:$core, Sdf_FutureType:$future);
  let assemblyFormat = [{
    custom<BufferList>($buffers) `from` `core` $core `of` $future attr-dict
  }];
  let hasVerifier = 1;
}

#endif // KTIR_SDF_RING_OPS_TD
