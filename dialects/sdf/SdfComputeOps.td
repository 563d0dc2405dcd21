//===- SdfComputeOps.td - Structured compute on buffers -------*- tablegen -*-===//

#ifndef KTIR_SDF_COMPUTE_OPS_TD
#define KTIR_SDF_COMPUTE_OPS_TD

include "sdf/SdfAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdf_ComputeOp : Sdf_Op<"compute", [
    AttrSizedOperandSegments, IsolatedFromAbove, MemoryEffects<[MemRead, MemWrite]>, SingleBlock
  ]> {
  let summary = "a loop nest over buffers, as one operation of an engine";
  let description = [{
    Means what `linalg.generic` means, in place on buffers. There is one loop an entry of
    `iterator_types` ("parallel" or "reduction"), and one map in `indexing_maps` for each buffer, first
    those of `ins`, then those of `outs`: where the buffer is accessed at a point of the loops. The
    region is run at every point. Its arguments are the element of each input, the scalars, and the
    current element of each output; what it yields is written to the outputs.

    The region sees nothing but its arguments; scalars of the program come in through `scalars(..)`.
    `sdf.index` gives the loop counters.

    Every loop has a length, the size of the dimensions that it indexes alone; other results of maps
    are sums of loops, each times a constant, and stay inside the buffer. Every parallel loop
    indexes every output. An output may lie where an input does if both have the same shape, bytes
    an element and map; otherwise outputs overlap nothing. The engine is `matrix` or `vector`; the
    matrix engine computes one output from two inputs over at least one reduction.

    `lengths [..]`, one integer or `index` value a loop, lets loops end before their buffers do, whose
    sizes may then differ: only the elements at points below them are read and written. A length below
    0 or beyond a buffer is a fault of the program.

    ```mlir
    sdf.compute matrix ins(#sdf.buffer<0, 8x64xf16>, #sdf.buffer<1024, 64x64xf16>)
        outs(#sdf.buffer<9216, 8x64xf32>)
        {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                          affine_map<(m, n, k) -> (m, n)>],
         iterator_types = ["parallel", "parallel", "reduction"]} {
    ^bb0(%a: f16, %b: f16, %acc: f32):
      %x = arith.extf %a : f16 to f32
      %y = arith.extf %b : f16 to f32
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %acc, %p : f32
      sdf.yield %s : f32
    }
    // the first %n of 64 elements
    sdf.compute vector ins(#sdf.buffer<0, 64xf16>) outs(#sdf.buffer<128, 64xf16>) lengths [%n]
        {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
         iterator_types = ["parallel"]} {
    ^bb0(%a: f16, %b: f16):
      %x = math.exp %a : f16
      sdf.yield %x : f16
    }
    ```
  }];
  let arguments = (ins
    Sdf_EngineAttr:$engine,
    Sdf_BufferArrayAttr:$inputs,
    Sdf_BufferArrayAttr:$outputs,
    AffineMapArrayAttr:$indexing_maps,
    StrArrayAttr:$iterator_types,
    Variadic<AnyTypeOf<[AnyInteger, AnyFloat, Index]>>:$scalars,
    Variadic<Index>:$lengths,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$static_lengths
  );
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    custom<Engine>($engine) `ins` `` custom<Buffers>($inputs)
    (`scalars` `(` $scalars^ `:` type($scalars) `)`)?
    `outs` `` custom<Buffers>($outputs) (`lengths` custom<DynamicIndexList>($lengths, $static_lengths)^)?
    custom<Loops>($indexing_maps, $iterator_types)
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumLoops() { return static_cast<unsigned>(getIteratorTypes().size()); }
    /// All buffers, inputs first, in the order of the maps.
    ::llvm::SmallVector<::mlir::sdf::BufferAttr> getBuffers();
    ::mlir::AffineMap getMap(unsigned buffer) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getIndexingMaps()[buffer]).getValue();
    }
    bool isReduction(unsigned loop) {
      return ::llvm::cast<::mlir::StringAttr>(getIteratorTypes()[loop]).getValue() == "reduction";
    }
    /// The greatest length of each loop, as the buffers give it. Requires that the op verifies.
    ::llvm::SmallVector<int64_t> getLoopLengths();
  }];
}

def Sdf_YieldOp : Sdf_Op<"yield", [Pure, Terminator, ReturnLike, HasParent<"ComputeOp">]> {
  let summary = "what a compute op writes to its outputs at one point";
  let description = [{
    ```mlir
    sdf.yield %a, %b : f16, f32
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[AnyInteger, AnyFloat, Index]>>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Sdf_IndexOp : Sdf_Op<"index", [Pure]> {
  let summary = "a loop counter of the compute op around it";
  let description = [{
    ```mlir
    %row = sdf.index 0 : index
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Index:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // KTIR_SDF_COMPUTE_OPS_TD
