//===- KtdpViewOps.td - Cores, launch values, views of memory -*- tablegen -*-===//

#ifndef KTIR_KTDP_VIEW_OPS_TD
#define KTIR_KTDP_VIEW_OPS_TD

include "ktdp/KtdpAttrs.td"
include "ktdp/KtdpTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ktdp_GetComputeTileIdOp : Ktdp_Op<"get_compute_tile_id", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>, Pure
  ]> {
  let summary = "coordinates of the running core in the grid";
  let description = [{
    One result a dimension of the grid, leading dimensions first. Trailing dimensions may be left out;
    results beyond the last dimension of the grid are 0. Several results are printed with a name each:
    parsers of other tools read no two numbered results of one op in one list of subscripts.

    ```mlir
    func.func @kernel() attributes {grid = [4, 8]} {
      %i, %j = ktdp.get_compute_tile_id : index, index
      return
    }
    ```
  }];
  let results = (outs Variadic<Index>:$coordinates);
  let assemblyFormat = "attr-dict `:` type($coordinates)";
  let hasVerifier = 1;
}

def Ktdp_RuntimeArgExtractOp : Ktdp_Op<"runtime_arg_extract", [Pure]> {
  let summary = "the value of a runtime argument, or a promise about it";
  let description = [{
    `value` yields the argument's value, of its own type. `granularity` and `upperbound` yield that
    number as an `index`; the argument's type must state it. These two fold to constants.

    ```mlir
    %n = ktdp.runtime_arg_extract value from %arg
           : !ktdp.runtime_arg<i32, granularity=4, upperbound=1024> -> i32
    %step = ktdp.runtime_arg_extract granularity from %arg
           : !ktdp.runtime_arg<i32, granularity=4, upperbound=1024> -> index
    ```
  }];
  let arguments = (ins Ktdp_RuntimeArgExtractKind:$kind, Ktdp_RuntimeArgType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind `from` $input `:` type($input) attr-dict `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The promise that is extracted; nullopt for the value, or if the type does not state it.
    ::std::optional<int64_t> getPromise();
  }];
}

def Ktdp_ConstructMemoryViewOp : Ktdp_Op<"construct_memory_view",
    [AttrSizedOperandSegments, Pure]> {
  let summary = "memory at an address, seen as a strided tensor";
  let description = [{
    Element `(i, j, ..)` of the view lies at `offset + i * strides[0] + j * strides[1] + ..`, counted
    in elements of the view's type. The op allocates and moves nothing.

    Sizes and strides may be integers or `index` values. Strides need not be row-major, and 0 repeats
    elements. A size given as an integer must agree with the memref's dimension; a size given as a
    value is a promise that it does. Canonicalization writes those that are constants as integers.

    `coordinate_set` holds the coordinates that exist: a load reads zero outside it and a store skips
    what is outside. Without it, all coordinates of the view's sizes exist. In a part of a distributed view the set is written in the coordinates of the
    whole (see `ktdp.construct_distributed_memory_view`). Its symbols are the values among the sizes,
    from left to right. `memory_space` says which memory is meant.

    ```mlir
    %v = ktdp.construct_memory_view %address, sizes: [%rows, 64], strides: [64, 1] {
      coordinate_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0,
                                                  d1 >= 0, -d1 + 63 >= 0)>,
      memory_space = #ktdp.spyre_memory_space<HBM>
    } : memref<?x64xf16>
    ```
  }];
  let arguments = (ins
    Index:$offset,
    Variadic<Index>:$sizes,
    Variadic<Index>:$strides,
    DenseI64ArrayAttr:$static_sizes,
    DenseI64ArrayAttr:$static_strides,
    Ktdp_MemorySpaceInterface:$memory_space,
    OptionalAttr<IntegerSetAttr>:$coordinate_set
  );
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $offset `` `,` `sizes` `` `:` custom<DynamicIndexList>($sizes, $static_sizes)
    `` `,` `strides` `` `:` custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Ktdp_ConstructDistributedMemoryViewOp : Ktdp_Op<"construct_distributed_memory_view", [Pure]> {
  let summary = "several views, seen as one tensor";
  let description = [{
    Composes views that hold parts of one logical tensor, for example rows in the scratchpads of
    different cores. The `coordinate_set` of each part says which coordinates of the whole it holds:
    element `c` of the result is the element of the part whose set contains `c`, and the least
    coordinate of a part's set is that part's element 0. The parts must be disjoint and cover every
    coordinate that is accessed.

    ```mlir
    %whole = ktdp.construct_distributed_memory_view (%top, %bottom
               : memref<32x64xf16>, memref<32x64xf16>) : memref<64x64xf16>
    ```
  }];
  let arguments = (ins Variadic<AnyMemRef>:$memrefs);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    `(` ($memrefs^ `:` type($memrefs))? `)` attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // KTIR_KTDP_VIEW_OPS_TD
