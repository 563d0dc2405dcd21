//===- PlanDialect.td - The plan dialect itself ---------------*- tablegen -*-===//

#ifndef KTIR_PLAN_DIALECT_TD
#define KTIR_PLAN_DIALECT_TD

include "mlir/IR/OpBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::mlir::plan";
  let summary = "Decisions on tensors: kernels, their division over cores, layouts";
  let description = [{
    A planned function computes the same values as before; the ops of this dialect state how. Planners
    write them, people may edit them, and later passes only apply them: a plan that
    `ktir-check-plan` accepts can be applied.

    - `plan.kernel` holds the ops that run as one kernel, with its division over cores and its tiles.
    - `plan.relayout`, `plan.restickify` and `plan.keep` are the identity on tensors; each fixes how
      or where the value is held.

    ```mlir
    %y = plan.kernel "gelu" split = [32, 1] tile = [8, 384]
           ins(%a = %x : tensor<256x384xf16>) -> (tensor<256x384xf16>) {
      %e = tensor.empty() : tensor<256x384xf16>
      %g = linalg.elementwise kind=#linalg.elementwise_kind<tanh>
             ins(%a : tensor<256x384xf16>) outs(%e : tensor<256x384xf16>) -> tensor<256x384xf16>
      plan.yield %g : tensor<256x384xf16>
    }
    ```

    The verifiers read one limit from the module around an op: `plan.cores`, the number of cores a
    kernel may use (an integer; 32 if absent).
  }];

  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

class Plan_Op<string mnemonic, list<Trait> traits = []> : Op<Plan_Dialect, mnemonic, traits>;

#endif // KTIR_PLAN_DIALECT_TD
