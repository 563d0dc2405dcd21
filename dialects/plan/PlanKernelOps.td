//===- PlanKernelOps.td - Kernels and their terminator --------*- tablegen -*-===//

#ifndef KTIR_PLAN_KERNEL_OPS_TD
#define KTIR_PLAN_KERNEL_OPS_TD

include "plan/PlanDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Plan_KernelOp : Plan_Op<"kernel", [
    IsolatedFromAbove, Pure, SingleBlock
  ]> {
  let summary = "ops that run as one kernel, and their division over cores";
  let description = [{
    The region computes the results from the operands, on whole tensors; nothing in it speaks of cores.
    `split` and `tile` say how the work is divided. Both have one entry a dimension of the *first
    result*, the kernel's domain:

    - `split[i]` is the number of cores along dimension i. The grid is `split` without its ones.
    - `tile[i]` is how many elements of dimension i a core holds in its scratchpad at a time.
    - A core owns `block[i] = tile[i] * ceil(ceil(extent[i] / split[i]) / tile[i])` elements of
      dimension i, from `core[i] * block[i]` on.
    - `reduction_tile = N`, if given, cuts the reduction of the contraction in the region into pieces
      of N elements.

    Device memory moves in sticks of 128 bytes. The *unit* of the last dimension is the number of
    elements in a stick; that of the others is 1. A tile is a multiple of its unit or the whole
    extent, and the cores along a dimension are at most `ceil(extent / unit)`. Together the cores are
    at most `plan.cores` of the module.

    The verifier takes the unit from the first result's element type, the least there can be;
    `ktir-check-plan` takes the widest stick of any operand or result that has the dimension last.

    A dimension may be cut, by a split or by a tile, only if every op of the region computes it in
    parallel. The pass that plans ensures this; the verifier of the op does not look into the region.

    ```mlir
    %r = plan.kernel "linear" split = [32, 1] tile = [8, 384] reduction_tile = 128
           ins(%a = %x : tensor<256x384xf16>, %b = %w : tensor<384x384xf16>)
           -> (tensor<256x384xf16>) attributes {note = "pinned"} {
      // ... ops on %a and %b ...
      plan.yield %v : tensor<256x384xf16>
    }
    ```

    A kernel without operands leaves `ins(..)` out. A kernel has no side effect, so one whose results
    are unused can be removed.
  }];
  let arguments = (ins
    StrAttr:$kernel_name,
    DenseI64ArrayAttr:$split,
    DenseI64ArrayAttr:$tile,
    OptionalAttr<I64Attr>:$reduction_tile,
    Variadic<AnyStaticShapeTensor>:$inputs
  );
  let results = (outs Variadic<AnyStaticShapeTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Plan_YieldOp : Plan_Op<"yield", [
    Pure, Terminator, ReturnLike, HasParent<"KernelOp">
  ]> {
  let summary = "the results of a kernel";
  let description = [{
    Ends the region of a `plan.kernel`. Its operands are the kernel's results, in order.

    ```mlir
    plan.yield %a, %b : tensor<8x64xf16>, tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // KTIR_PLAN_KERNEL_OPS_TD
