//===- SpyreOpNumberOps.td - Arithmetic and functions ---------*- tablegen -*-===//

#ifndef KTIR_SPYREOP_NUMBER_OPS_TD
#define KTIR_SPYREOP_NUMBER_OPS_TD

include "spyreop/SpyreOpAttrs.td"
include "spyreop/SpyreOpTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Integers and addresses
//===----------------------------------------------------------------------===//

class SpyreOp_IntegerOp<string mnemonic, Type type>
    : SpyreOp_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "operands attr-dict";
}

def SpyreOp_AddI32ToI32Op : SpyreOp_IntegerOp<"addi32toi32", I32> {
  let summary = "the sum of two 32-bit integers";
  let description = [{
    Wraps around, as `arith.addi` does.

    ```mlir
    %c = spyreop.addi32toi32 %a, %b
    ```
  }];
}

def SpyreOp_AddI64ToI64Op : SpyreOp_IntegerOp<"addi64toi64", I64> {
  let summary = "the sum of two 64-bit integers";
  let description = [{
    Wraps around, as `arith.addi` does.

    ```mlir
    %c = spyreop.addi64toi64 %a, %b
    ```
  }];
}

def SpyreOp_MulI32ToI32Op : SpyreOp_IntegerOp<"muli32toi32", I32> {
  let summary = "the lower 32 bits of the product of two integers";
  let description = [{
    ```mlir
    %c = spyreop.muli32toi32 %a, %b
    ```
  }];
}

def SpyreOp_Idx32ToAddrOp : SpyreOp_Op<"idx32toaddr", [AttrSizedOperandSegments, Pure]> {
  let summary = "an address from an index: base + stride * index";
  let description = [{
    Wraps around. `base` and `stride` are values, or, in an older form, both integers of the program.

    ```mlir
    %a = spyreop.idx32toaddr %i base %b stride %s
    %c = spyreop.idx32toaddr %i base 0x00001000 stride 4
    ```
  }];
  let arguments = (ins
    I32:$index,
    Optional<I32>:$base,
    Optional<I32>:$stride,
    OptionalAttr<I32Attr>:$static_base,
    OptionalAttr<I32Attr>:$static_stride
  );
  let results = (outs I32:$result);
  let assemblyFormat = [{
    $index `base` custom<BaseAddress>($base, $static_base)
    `stride` custom<Stride>($stride, $static_stride) attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Constants and choices
//===----------------------------------------------------------------------===//

def SpyreOp_ConstantOp : SpyreOp_Op<"constant", [AllTypesMatch<["value", "result"]>, Pure]> {
  let summary = "a number that is kept in a register";
  let description = [{
    Equal constants may become one; none becomes an `arith.constant`, which need not be in a register.

    ```mlir
    %zero = spyreop.constant -0.0 : f16
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyTypeOf<[F16, F32]>:$result);
  let assemblyFormat = "$value attr-dict";
}

def SpyreOp_CompareOp : SpyreOp_Op<"compare", [Pure, SameOperandsAndResultType]> {
  let summary = "1 where a comparison holds, else 0, as a number of the operands' type";
  let description = [{
    Every predicate is ordered: the result is 0 where an operand is NaN, with `notequal` too.

    ```mlir
    %c = spyreop.compare <greaterequal> %a, %b : f32
    ```
  }];
  let arguments = (ins
    SpyreOp_ComparePredicateAttr:$predicate,
    SpyreOp_Float:$lhs,
    SpyreOp_Float:$rhs
  );
  let results = (outs SpyreOp_Float:$result);
  let assemblyFormat = "$predicate $lhs `,` $rhs attr-dict `:` type($result)";
}

def SpyreOp_SelectOp : SpyreOp_Op<"select", [Pure, SameOperandsAndResultType]> {
  let summary = "the first value where the condition is not zero, else the second";
  let description = [{
    ```mlir
    %d = spyreop.select %condition, %a, %b : f16
    ```
  }];
  let arguments = (ins SpyreOp_Float:$condition, SpyreOp_Float:$true_value, SpyreOp_Float:$false_value);
  let results = (outs SpyreOp_Float:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

class SpyreOp_FunctionOp<string mnemonic, Type type = SpyreOp_Float>
    : SpyreOp_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
}

def SpyreOp_RealDivOp : SpyreOp_Op<"realdiv", [Pure, SameOperandsAndResultType]> {
  let summary = "the quotient of two numbers";
  let description = [{
    ```mlir
    %c = spyreop.realdiv %a, %b : f16
    ```
  }];
  let arguments = (ins SpyreOp_Float:$lhs, SpyreOp_Float:$rhs);
  let results = (outs SpyreOp_Float:$result);
  let assemblyFormat = "operands attr-dict `:` type($result)";
}

def SpyreOp_ExpOp : SpyreOp_FunctionOp<"exp"> {
  let summary = "exp(x)";
  let description = [{
    ```mlir
    %y = spyreop.exp %x : f32
    ```
  }];
}

def SpyreOp_GeluOp : SpyreOp_FunctionOp<"gelu", SpyreOp_Float16> {
  let summary = "x * CDF(x), with the standard normal distribution";
  let description = [{
    ```mlir
    %y = spyreop.gelu %x : f16
    ```
  }];
}

def SpyreOp_ReciprocalOp : SpyreOp_FunctionOp<"reciprocal"> {
  let summary = "1 / x";
  let description = [{
    ```mlir
    %y = spyreop.reciprocal %x : f16
    ```
  }];
}

def SpyreOp_RsqrtOp : SpyreOp_FunctionOp<"rsqrt"> {
  let summary = "1 / sqrt(x)";
  let description = [{
    ```mlir
    %y = spyreop.rsqrt %x : f32
    ```
  }];
}

def SpyreOp_SigmoidOp : SpyreOp_FunctionOp<"sigmoid"> {
  let summary = "1 / (1 + exp(-x))";
  let description = [{
    ```mlir
    %y = spyreop.sigmoid %x : f16
    ```
  }];
}

def SpyreOp_SiluOp : SpyreOp_FunctionOp<"silu"> {
  let summary = "x / (1 + exp(-x))";
  let description = [{
    ```mlir
    %y = spyreop.silu %x : f16
    ```
  }];
}

def SpyreOp_SqrtOp : SpyreOp_FunctionOp<"sqrt"> {
  let summary = "sqrt(x)";
  let description = [{
    ```mlir
    %y = spyreop.sqrt %x : f16
    ```
  }];
}

def SpyreOp_SoftplusOp : SpyreOp_Op<"softplus", [Pure, SameOperandsAndResultType]> {
  let summary = "log(1 + exp(beta * x)) / beta, or x where beta * x is above a threshold";
  let description = [{
    `beta` is not 0.

    ```mlir
    %y = spyreop.softplus %x beta 1.0 threshold 20.0 : f16
    ```
  }];
  let arguments = (ins
    SpyreOp_Float16:$operand,
    ConfinedAttr<F32Attr, [SpyreOp_NonZero]>:$beta,
    F32Attr:$threshold
  );
  let results = (outs SpyreOp_Float16:$result);
  let assemblyFormat = "$operand `beta` $beta `threshold` $threshold attr-dict `:` type($result)";
}

#endif // KTIR_SPYREOP_NUMBER_OPS_TD
