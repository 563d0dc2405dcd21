//===- KtdpTypes.td - Access tiles and runtime arguments ------*- tablegen -*-===//

#ifndef KTIR_KTDP_TYPES_TD
#define KTIR_KTDP_TYPES_TD

include "ktdp/KtdpDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class Ktdp_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Ktdp_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Ktdp_AccessTileType : Ktdp_Type<"AccessTile", "access_tile", [ShapedTypeInterface]> {
  let summary = "an ordered collection of coordinates";
  let description = [{
    The coordinates that a load or store visits, arranged in a shape. Writing `index` after the
    shape is part of the syntax; no other element type exists.

    ```
    access-tile ::= `!ktdp.access_tile` `<` (dimension `x`)* `index` `>`
    dimension   ::= `?` | integer
    ```

    ```mlir
    !ktdp.access_tile<32x64xindex>   // 2048 coordinates
    !ktdp.access_tile<?x64xindex>    // as many rows as a symbol says
    !ktdp.access_tile<index>         // one coordinate
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // The methods that the ShapedType interface asks for.
    ::mlir::Type getElementType() const;
    bool hasRank() const { return true; }
    ::mlir::ShapedType cloneWith(::std::optional<::llvm::ArrayRef<int64_t>> shape,
                                 ::mlir::Type elementType) const;
  }];
}

def Ktdp_RuntimeArgType : Ktdp_Type<"RuntimeArg", "runtime_arg"> {
  let summary = "a scalar known only at launch, with promises about it";
  let description = [{
    A scalar argument of a kernel whose value is known only when the kernel is launched.
    `granularity` promises that the value is a multiple of a number, `upperbound` that it does not
    exceed one; a compiler may rely on both. `ktdp.runtime_arg_extract` reads them.

    ```
    runtime-arg ::= `!ktdp.runtime_arg` `<` scalar-type (`,` promise)* `>`
    promise     ::= `granularity` `=` integer | `upperbound` `=` integer
    ```

    ```mlir
    !ktdp.runtime_arg<index, granularity=3, upperbound=300>
    ```
  }];
  let parameters = (ins
    "::mlir::Type":$underlyingType,
    OptionalParameter<"::std::optional<int64_t>">:$granularity,
    OptionalParameter<"::std::optional<int64_t>">:$upperbound
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Ktdp_TileFutureType : Ktdp_Type<"TileFuture", "tile_future"> {
  let summary = "tiles that cores publish for others";
  let description = [{
    What `ktdp.inter_tile_produce` yields: one tensor a *role*, contributed by each producing tile of
    each group. `groups` is a set of one dimension without symbols, the numbers of the groups.

    ```
    tile-future ::= `!ktdp.tile_future` `<` partials `,` (`groups` `=`)? integer-set `>`
    partials    ::= `(` tensor-type (`,` tensor-type)* `)` | tensor-type (`,` tensor-type)*
    ```

    ```mlir
    !ktdp.tile_future<(tensor<1x64xf16>), groups = affine_set<(g) : (g == 0)>>
    !ktdp.tile_future<(tensor<8xf32>, tensor<8xi32>), groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>>
    ```

    The form without parentheses is older; it is read and not printed.
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::RankedTensorType">:$partialTypes,
    "::mlir::IntegerSetAttr":$groups
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // KTIR_KTDP_TYPES_TD
