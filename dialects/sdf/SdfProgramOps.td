//===- SdfProgramOps.td - Programs ----------------------------*- tablegen -*-===//

#ifndef KTIR_SDF_PROGRAM_OPS_TD
#define KTIR_SDF_PROGRAM_OPS_TD

include "sdf/SdfAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdf_ProgramOp : Sdf_Op<"program", [
    FunctionOpInterface, IsolatedFromAbove, SingleBlock
  ]> {
  let summary = "what every core of a grid runs";
  let description = [{
    A function without results, run once by each core of `grid`. Arguments are scalars, the same on
    all cores; one of type `index` that stands for a tensor is the address of its element 0 in device
    memory, in elements. The scratchpad holds nothing of use when the program starts.

    ```mlir
    sdf.program @k0(%x: index {ktir.name = "x"}, %y: index) grid [4, 8] attributes {note = "a"} {
      %i, %j = sdf.core_id : index, index
      sdf.return
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    DenseI64ArrayAttr:$grid,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs
  );
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    // The methods that FunctionOpInterface asks for.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}

def Sdf_ReturnOp : Sdf_Op<"return", [Pure, Terminator, ReturnLike, HasParent<"ProgramOp">]> {
  let summary = "ends a program";
  let description = [{
    ```mlir
    sdf.return
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Sdf_CoreIdOp : Sdf_Op<"core_id", [Pure]> {
  let summary = "coordinates of the running core in the grid";
  let description = [{
    One result a dimension of the program's grid. Trailing dimensions may be left out; results beyond
    the last dimension of the grid are 0.

    ```mlir
    %i, %j = sdf.core_id : index, index
    ```
  }];
  let results = (outs Variadic<Index>:$coordinates);
  let assemblyFormat = "attr-dict `:` type($coordinates)";
  let hasVerifier = 1;
}

#endif // KTIR_SDF_PROGRAM_OPS_TD
