//===- SpyreOpNormOps.td - Reductions and layer norm ----------*- tablegen -*-===//

#ifndef KTIR_SPYREOP_NORM_OPS_TD
#define KTIR_SPYREOP_NORM_OPS_TD

include "spyreop/SpyreOpAttrs.td"
include "spyreop/SpyreOpTypes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Mean and mean of squares
//===----------------------------------------------------------------------===//

def SpyreOp_Exx2Op : SpyreOp_Op<"exx2", [Pure, SameOperandsAndResultType]> {
  let summary = "a mean and a mean of squares";
  let description = [{
    In the body of a reduction, the means are over all elements that are reduced.

    ```mlir
    %mean, %squares = spyreop.exx2 %x : f16
    ```
  }];
  let arguments = (ins SpyreOp_Float:$operand);
  let results = (outs SpyreOp_Float:$result, SpyreOp_Float:$squares);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

class SpyreOp_FusedOp<string mnemonic, Type from, Type to> : SpyreOp_Op<mnemonic, [
    DeclareOpInterfaceMethods<InferTypeOpInterface>, Pure
  ]> {
  let arguments = (ins from:$operand);
  let results = (outs to:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def SpyreOp_Exx2FusedOp : SpyreOp_FusedOp<"exx2_fused", SpyreOp_Float, SpyreOp_Fused> {
  let summary = "a mean and a mean of squares as one value";
  let description = [{
    As `spyreop.exx2`; the result is the pair that belongs to the operand's type.

    ```mlir
    %pair = spyreop.exx2_fused %x : f16 -> !spyreop.fp16_fused
    ```
  }];
}

def SpyreOp_Exx2ZeromeanFusedOp : SpyreOp_FusedOp<"exx2_zeromean_fused", SpyreOp_Float, SpyreOp_Fused> {
  let summary = "a mean that is taken to be 0 and a mean of squares, as one value";
  let description = [{
    As `spyreop.exx2_fused`, with 0 in place of the mean: what RMS norm needs.

    ```mlir
    %pair = spyreop.exx2_zeromean_fused %x : f16 -> !spyreop.fp16_fused
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Layer norm
//===----------------------------------------------------------------------===//

def SpyreOp_LayerNormScaleOp : SpyreOp_Op<"layernormscale", [Pure, SameOperandsAndResultType]> {
  let summary = "the scale of layer norm: 1 / sqrt(squares - mean * mean)";
  let description = [{
    From a mean and a mean of squares. In an older form the op has one operand only.

    ```mlir
    %scale = spyreop.layernormscale %mean squares %squares : f16
    ```
  }];
  let arguments = (ins SpyreOp_Float:$operand, Optional<SpyreOp_Float>:$squares);
  let results = (outs SpyreOp_Float:$result);
  let assemblyFormat = "$operand (`squares` $squares^)? attr-dict `:` type($result)";
}

def SpyreOp_LayerNormScaleFusedOp
    : SpyreOp_FusedOp<"layernormscale_fused", SpyreOp_Fused, SpyreOp_Float> {
  let summary = "the scale of layer norm from a fused pair";
  let description = [{
    As `spyreop.layernormscale`; the result is what the operand's type is a pair of.

    ```mlir
    %scale = spyreop.layernormscale_fused %pair : !spyreop.fp16_fused -> f16
    ```
  }];
}

def SpyreOp_LayerNormNormOp : SpyreOp_Op<"layernormnorm", [Pure, SameOperandsAndResultType]> {
  let summary = "the normalizing part of layer norm";
  let description = [{
    Normalizes an element with the statistics of its row, then scales it by `weight` and adds `bias`.

    ```mlir
    %y = spyreop.layernormnorm %x squares %squares scale %scale weight %w bias %b : f16
    ```
  }];
  let arguments = (ins
    SpyreOp_Float:$operand,
    SpyreOp_Float:$squares,
    SpyreOp_Float:$scale,
    SpyreOp_Float:$weight,
    SpyreOp_Float:$bias
  );
  let results = (outs SpyreOp_Float:$result);
  let assemblyFormat = [{
    $operand `squares` $squares `scale` $scale `weight` $weight `bias` $bias attr-dict `:` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Reductions of a register
//===----------------------------------------------------------------------===//

def SpyreOp_SliceReductionOp : SpyreOp_Op<"slice_reduction", [Pure, SameOperandsAndResultType]> {
  let summary = "elements reduced within or across the slices of a register";
  let description = [{
    The operand is as wide as a register of the compute unit, which is cut into slices. With the scope
    `in_slice` the first element of each slice becomes the reduction of that slice; with `across_slice`
    each element of the first slice becomes the reduction of the elements at its place in all slices.

    ```mlir
    %r = spyreop.slice_reduction %x {
      reduction_kind = #spyreop.reduction_kind<max>, reduction_scope = #spyreop.reduction_scope<in_slice>
    } : tensor<64xf16> -> tensor<64xf16>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$operand,
    SpyreOp_ReductionKindAttr:$reduction_kind,
    SpyreOp_ReductionScopeAttr:$reduction_scope
  );
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

#endif // KTIR_SPYREOP_NORM_OPS_TD
