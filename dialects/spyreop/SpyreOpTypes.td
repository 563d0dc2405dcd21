//===- SpyreOpTypes.td - Number formats of the device ---------*- tablegen -*-===//

#ifndef KTIR_SPYREOP_TYPES_TD
#define KTIR_SPYREOP_TYPES_TD

include "spyreop/SpyreOpDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"

/// A number that tensors, memrefs and vectors may hold. The summaries appear in diagnostics; public
/// tests know them.
class SpyreOp_Number<string name, string numberMnemonic> : TypeDef<SpyreOp_Dialect, name, [
    MemRefElementTypeInterface, VectorElementTypeInterface
  ]> {
  let mnemonic = numberMnemonic;
}

def SpyreOp_DF16Type : SpyreOp_Number<"DF16", "df16"> {
  let summary = "IBM df16 float";
  let description = [{
    The device's own 16-bit float: a sign, 6 bits of exponent, 9 bits of mantissa.

    ```mlir
    !spyreop.df16
    ```
  }];
}

def SpyreOp_DF16FusedType : SpyreOp_Number<"DF16Fused", "df16_fused"> {
  let summary = "A pair of df16 floats held as one value";
  let description = [{
    The mean and the mean of squares that `spyreop.exx2_fused` makes of `df16` numbers.

    ```mlir
    !spyreop.df16_fused
    ```
  }];
}

def SpyreOp_FP16FusedType : SpyreOp_Number<"FP16Fused", "fp16_fused"> {
  let summary = "A pair of 16-bit floats held as one value";
  let description = [{
    The mean and the mean of squares that `spyreop.exx2_fused` makes of `f16` numbers.

    ```mlir
    !spyreop.fp16_fused
    ```
  }];
}

def SpyreOp_FP32FusedType : SpyreOp_Number<"FP32Fused", "fp32_fused"> {
  let summary = "A pair of 32-bit floats held as one value";
  let description = [{
    The mean and the mean of squares that `spyreop.exx2_fused` makes of `f32` numbers.

    ```mlir
    !spyreop.fp32_fused
    ```
  }];
}

def SpyreOp_Float16 : AnyTypeOf<[F16, SpyreOp_DF16Type]>;
def SpyreOp_Float : AnyTypeOf<[F16, SpyreOp_DF16Type, F32]>;
def SpyreOp_Fused : AnyTypeOf<[SpyreOp_DF16FusedType, SpyreOp_FP16FusedType, SpyreOp_FP32FusedType]>;

#endif // KTIR_SPYREOP_TYPES_TD
