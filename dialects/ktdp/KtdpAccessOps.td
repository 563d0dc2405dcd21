//===- KtdpAccessOps.td - Access tiles, loads and stores ------*- tablegen -*-===//

#ifndef KTIR_KTDP_ACCESS_OPS_TD
#define KTIR_KTDP_ACCESS_OPS_TD

include "ktdp/KtdpAttrs.td"
include "ktdp/KtdpTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Ktdp_ConstructAccessTileOp : Ktdp_Op<"construct_access_tile",
    [AttrSizedOperandSegments, Pure]> {
  let summary = "the points of a set, shifted to a place in a view";
  let description = [{
    Names coordinates of `base`: the points of `access_tile_set`, each added to the point that the
    subscripts compute. The subscripts are affine expressions of `index` values, one a dimension.
    The set may be any set of integer points: a box, a triangle, every second column. Its symbols
    are bound, in order, by `symbols(..)`.

    `access_tile_order` is a permutation of the dimensions. The points are visited in lexicographic
    order of its results, so `(d0, d1) -> (d1, d0)` visits column by column. The shape of the tile
    counts the points along each dimension; its dimensions may be those of the set in another order.

    ```mlir
    %t = ktdp.construct_access_tile %view[%row + %i, 2 * %j] symbols(%rows) {
      access_tile_set = affine_set<(d0, d1)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0,
                                                   d1 >= 0, -d1 + 63 >= 0)>,
      access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
    } : memref<256x64xf16> -> !ktdp.access_tile<?x64xindex>
    ```

    In the generic form the subscripts are `base_map`, applied to `indices`.
  }];
  let arguments = (ins
    AnyTypeOf<[AnyMemRef, AnyTensor]>:$base,
    AffineMapAttr:$base_map,
    Variadic<Index>:$indices,
    Variadic<Index>:$symbol_operands,
    IntegerSetAttr:$access_tile_set,
    AffineMapAttr:$access_tile_order
  );
  let results = (outs Ktdp_AccessTileType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Ktdp_RegionTerminatorOp : Ktdp_Op<"region_terminator", [
    Pure, Terminator, HasParent<"ConstructIndirectAccessTileOp">
  ]> {
  let summary = "ends the region of an indirect access tile";
  let description = [{
    Appears in generic form only. The region it ends has no other op: it exists to hold the
    intermediate variables as block arguments.
  }];
  let assemblyFormat = "attr-dict";
}

def Ktdp_ConstructIndirectAccessTileOp : Ktdp_Op<"construct_indirect_access_tile", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead]>,
    SingleBlockImplicitTerminator<"RegionTerminatorOp">
  ]> {
  let summary = "coordinates that are partly read from other views";
  let description = [{
    Names coordinates of `base` for a gather (in a load) or a scatter (in a store). The variables
    run over the points of `variables_space_set`, in lexicographic order of the results of
    `variables_space_order`, a permutation. At each point, one subscript a dimension of `base` gives
    the coordinate:

    - `(expr)` is the value of an affine expression;
    - `ind(%v[expr, ..])` is the element of the view `%v` of integers at that place. It stands
      alone: nothing is added to it or multiplied with it.

    A direct subscript may be written without its parentheses. Expressions are affine in the
    variables and in `index` values of the function. Symbols of the set are bound, in order, by
    `symbols(..)`. The tile has one dimension a variable.

    The types after the colon are that of `base`, then one a `ind(..)`, in order.

    ```mlir
    // X[page_table[b, t floordiv 64], h, t mod 64], as a batch x heads x tokens tile
    %t = ktdp.construct_indirect_access_tile intermediate_variables(%b, %h, %t)
        %x[ind(%page_table[%b, %t floordiv 64]), (%first_head + %h), (%t mod 64)] {
      variables_space_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0,
                                        -d1 + 7 >= 0, d2 >= 0, -d2 + 2047 >= 0)>,
      variables_space_order = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
    } : memref<1000x8x64xf16>, memref<4x32xi32> -> !ktdp.access_tile<4x8x2048xindex>
    ```

    In the generic form `per_dim_subscript_kinds` holds true for each `ind`, and the domain of every
    map in `per_dim_subscript_maps` is `captured_variables`, then the variables, which are the
    arguments of the region's block. The op reads the index views, hence its memory effect.
  }];
  let arguments = (ins
    AnyTypeOf<[AnyMemRef, AnyTensor]>:$base,
    ArrayAttr:$per_dim_subscript_kinds,
    ArrayAttr:$per_dim_subscript_maps,
    Variadic<AnyMemRef>:$indirect_memrefs,
    Variadic<Index>:$captured_variables,
    Variadic<Index>:$symbol_operands,
    IntegerSetAttr:$variables_space_set,
    AffineMapAttr:$variables_space_order
  );
  let regions = (region SizedRegion<1>:$region);
  let results = (outs Ktdp_AccessTileType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The variables that run over the set: the block arguments of the region.
    ::mlir::Block::BlockArgListType getIntermediateVariables() {
      return getRegion().front().getArguments();
    }
    /// True if the coordinate of dimension `dim` is read from a view.
    bool isIndirect(unsigned dim) {
      return ::llvm::cast<::mlir::BoolAttr>(getPerDimSubscriptKinds()[dim]).getValue();
    }
    /// The subscript of dimension `dim`, over captured values and then variables.
    ::mlir::AffineMap getSubscript(unsigned dim) {
      return ::llvm::cast<::mlir::AffineMapAttr>(getPerDimSubscriptMaps()[dim]).getValue();
    }
  }];
}

def Ktdp_LoadOp : Ktdp_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "memory to scratchpad: the elements at a tile's coordinates";
  let description = [{
    The result has the tile's shape and the element type of the view under the tile; element `k` in
    row-major order is the one at the `k`-th coordinate of the tile. Coordinates outside the view's
    `coordinate_set` yield zero.

    ```mlir
    %data = ktdp.load %tile : !ktdp.access_tile<32x64xindex> -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins Ktdp_AccessTileType:$access_tile);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$access_tile attr-dict `:` type($access_tile) `->` type($result)";
  let hasVerifier = 1;
}

def Ktdp_StoreOp : Ktdp_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "scratchpad to memory: elements to a tile's coordinates";
  let description = [{
    Writes element `k`, in row-major order, of the tensor to the `k`-th coordinate of the tile.
    Coordinates outside the view's `coordinate_set` are skipped. Nothing orders the writes of one
    store among each other, or the stores of different cores.

    ```mlir
    ktdp.store %data, %tile : tensor<32x64xf16>, !ktdp.access_tile<32x64xindex>
    ```
  }];
  let arguments = (ins AnyTensor:$data_tile, Ktdp_AccessTileType:$access_tile);
  let assemblyFormat = [{
    $data_tile `,` $access_tile attr-dict `:` type($data_tile) `,` type($access_tile)
  }];
  let hasVerifier = 1;
}

#endif // KTIR_KTDP_ACCESS_OPS_TD
