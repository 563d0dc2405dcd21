//===- PlanValueOps.td - Decisions about one value ------------*- tablegen -*-===//

#ifndef KTIR_PLAN_VALUE_OPS_TD
#define KTIR_PLAN_VALUE_OPS_TD

include "plan/PlanAttrs.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// The identity on a tensor. Legal inside a kernel and at function level alike.
class Plan_ValueOp<string mnemonic> : Plan_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let results = (outs AnyRankedTensor:$result);
}

def Plan_RelayoutOp : Plan_ValueOp<"relayout"> {
  let summary = "hold a tensor in another layout";
  let description = [{
    The same elements, held in device memory in the layout named:

    | layout | meaning |
    | --- | --- |
    | `sticks` | row-major, each row of the last dimension padded to whole sticks: what a tensor has without this op |
    | `dense` | row-major without padding, so that every reshape is a view |

    ```mlir
    %b = plan.relayout %a to dense : tensor<67x100xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, Plan_LayoutAttr:$layout);
  let assemblyFormat = "$input `to` custom<Layout>($layout) attr-dict `:` type($result)";
}

def Plan_RestickifyOp : Plan_ValueOp<"restickify"> {
  let summary = "let another dimension run along the sticks";
  let description = [{
    The same elements, held so that dimension `dim` of the tensor is the one whose elements lie next
    to each other in a stick. Without this op it is the last dimension.

    ```mlir
    %b = plan.restickify %a dim = 0 : tensor<256x384xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$dim);
  let assemblyFormat = "$input `dim` `=` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Plan_KeepOp : Plan_ValueOp<"keep"> {
  let summary = "hold a tensor in the scratchpad until its last use";
  let description = [{
    The same elements, held in the scratchpads of the cores that made them from here to the last use
    of the result, instead of going through device memory.

    ```mlir
    %b = plan.keep %a : tensor<256x384xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

#endif // KTIR_PLAN_VALUE_OPS_TD
