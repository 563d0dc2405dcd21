//===- KtdpInterTileOps.td - Data from core to core -----------*- tablegen -*-===//

#ifndef KTIR_KTDP_INTER_TILE_OPS_TD
#define KTIR_KTDP_INTER_TILE_OPS_TD

include "ktdp/KtdpTypes.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Production
//===----------------------------------------------------------------------===//

def Ktdp_InterTileProduceOp : Ktdp_Op<"inter_tile_produce", [
    MemoryEffects<[MemRead, MemWrite]>, RecursiveMemoryEffects, SingleBlock
  ]> {
  let summary = "publishes a tile from each producing core of each group";
  let description = [{
    The groups are the integers of `groups` in the future's type. The tiles (cores) that produce in
    group `g` are the points of `producer_tiles_per_group`, a set `(i)[g]`; no tile produces in two
    groups (R1). A tile is a number: dimension 0 of the grid counts fastest.

    Each producing tile runs the region once, with the number of its group as `%gid`; other tiles
    skip it. What `ktdp.yield_partial` names is what the tile contributes, one tensor a role. The
    region sees the values around it. The contents are those at that moment.

    The future is used exactly once, by the op that delivers (R2).

    ```mlir
    // 8 groups of 4 tiles, all of which contribute
    %future = ktdp.inter_tile_produce
        producer_tiles_per_group = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
        -> <(tensor<1x64xf16>), groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>> {
    ^bb0(%gid: index):
      ktdp.yield_partial %partial : tensor<1x64xf16>
    }
    ```

    `: T, ..` before the arrow is accepted and left out when printed. Numbers of rules are those of
    `docs/inter-tile-communication.md` in `torch-spyre/ktir-mlir-frontend`; they are checked where the
    sets can be enumerated: over the grid of the function, or, without one, over the range that a set
    itself bounds.
  }];
  let arguments = (ins IntegerSetAttr:$producer_tiles_per_group);
  let results = (outs Ktdp_TileFutureType:$future);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `producer_tiles_per_group` `=` $producer_tiles_per_group attr-dict
    custom<ProducedType>(type($future)) $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Ktdp_YieldPartialOp : Ktdp_Op<"yield_partial", [
    Pure, Terminator, ReturnLike, HasParent<"InterTileProduceOp">
  ]> {
  let summary = "what a tile contributes";
  let description = [{
    ```mlir
    ktdp.yield_partial %values, %indices : tensor<1x64xf32>, tensor<1x64xi32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

//===----------------------------------------------------------------------===//
// Delivery
//===----------------------------------------------------------------------===//

/// An op that takes a future. Its clauses may be written in any order; they are printed in that of
/// the arguments. A delivery waits, so it is neither removed nor moved past memory accesses.
class Ktdp_DeliveryOp<string mnemonic, list<Trait> traits = []>
    : Ktdp_Op<mnemonic, !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Ktdp_InterTileConsumeOp : Ktdp_DeliveryOp<"inter_tile_consume"> {
  let summary = "one producer's tile, unchanged: broadcast, routing";
  let description = [{
    The tiles that receive in group `g` are the points of `consumer_tiles_per_group`, a set `(i)[g]`.
    On every other tile the results are undefined.

    `producer_dependency_per_consumer`, a set `(p)[c]` or `(p)[c, g]`, names the producers that
    consumer `c` waits for and receives from; without it, these are all of the group. They produce in
    the group (R3), and each producer of a group serves some consumer (R4). A consumer of this op has
    exactly one source (R8), so groups of several producers need the dependency.

    ```mlir
    %tile = ktdp.inter_tile_consume(%future)
        consumer_tiles_per_group = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c] : (p - c + 2 == 0)>
        : <(tensor<1x64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<1x64xf16>
    ```
  }];
  let arguments = (ins
    Ktdp_TileFutureType:$future,
    IntegerSetAttr:$consumer_tiles_per_group,
    OptionalAttr<IntegerSetAttr>:$producer_dependency_per_consumer
  );
}

def Ktdp_InterTileReduceOp : Ktdp_DeliveryOp<"inter_tile_reduce", [
    RecursiveMemoryEffects, SingleBlock
  ]> {
  let summary = "the tiles of a group, folded into one";
  let description = [{
    Every consumer (see `ktdp.inter_tile_consume`) receives the fold of its sources' tiles. The region
    combines two tiles to one; its arguments are the tensors of the left side, one a role, then those
    of the right side. It has no memory effect (R10). `identity` is what a fold starts from, one
    tensor a role, of the partial types (R11). The fold is from the left, in ascending order of the
    tiles' numbers; a combiner is to be associative and commutative.

    Consumers are all producers of the group or a single one of them (R13, R14).

    ```mlir
    %sum = ktdp.inter_tile_reduce(%future)
        consumer_tiles_per_group = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>,
        identity(%zeros : tensor<1x64xf16>)
        : <(tensor<1x64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<1x64xf16> {
    ^bb0(%left: tensor<1x64xf16>, %right: tensor<1x64xf16>):
      %both = arith.addf %left, %right : tensor<1x64xf16>
      ktdp.yield_reduced %both : tensor<1x64xf16>
    }
    ```

    The results have the partial types. In an older form, which writes the future's partial types
    without parentheses, a result may lack dimensions of size 1 that the partial has:
    `: !ktdp.tile_future<tensor<1x64xf16>, groups = ..> -> tensor<64xf16>`. The attribute
    `collapse_unit_dims` says so in the generic form.
  }];
  let arguments = (ins
    Ktdp_TileFutureType:$future,
    Variadic<AnyRankedTensor>:$identity,
    IntegerSetAttr:$consumer_tiles_per_group,
    OptionalAttr<IntegerSetAttr>:$producer_dependency_per_consumer,
    UnitAttr:$collapse_unit_dims
  );
  let regions = (region SizedRegion<1>:$combiner);
  let hasRegionVerifier = 1;
}

def Ktdp_InterTileReduceScatterOp : Ktdp_DeliveryOp<"inter_tile_reduce_scatter", [
    RecursiveMemoryEffects, SingleBlock
  ]> {
  let summary = "each consumer's slice of the fold of a group's tiles";
  let description = [{
    As `ktdp.inter_tile_reduce`, but the fold is cut into as many equal slices as the group has
    consumers, and the consumer at position `l` in ascending order gets slice `l`. The coordinates of
    `scatter_dimensions`, flattened row-major in the order of the list, are cut into contiguous
    chunks; their number is a multiple of the number of consumers (R9). The list ascends and is not
    empty. Consumers need not be producers.

    ```mlir
    %rows = ktdp.inter_tile_reduce_scatter(%future)
        consumer_tiles_per_group = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>,
        scatter_dimensions = [0], identity(%zeros : tensor<128x64xf16>)
        : <(tensor<128x64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<32x64xf16> {
    ^bb0(%left: tensor<128x64xf16>, %right: tensor<128x64xf16>):
      %both = arith.addf %left, %right : tensor<128x64xf16>
      ktdp.yield_reduced %both : tensor<128x64xf16>
    }
    ```
  }];
  let arguments = (ins
    Ktdp_TileFutureType:$future,
    Variadic<AnyRankedTensor>:$identity,
    IntegerSetAttr:$consumer_tiles_per_group,
    DenseI64ArrayAttr:$scatter_dimensions,
    OptionalAttr<IntegerSetAttr>:$producer_dependency_per_consumer
  );
  let regions = (region SizedRegion<1>:$combiner);
  let hasRegionVerifier = 1;
}

def Ktdp_YieldReducedOp : Ktdp_Op<"yield_reduced", [
    Pure, Terminator, ReturnLike, ParentOneOf<["InterTileReduceOp", "InterTileReduceScatterOp"]>
  ]> {
  let summary = "two tiles combined to one";
  let description = [{
    ```mlir
    ktdp.yield_reduced %sum : tensor<1x64xf16>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Ktdp_InterTileGatherOp : Ktdp_DeliveryOp<"inter_tile_gather"> {
  let summary = "the tiles of a group, joined";
  let description = [{
    Every consumer (see `ktdp.inter_tile_consume`) receives the tiles of its sources, joined along
    `gather_dimensions`: the source at position `l` of that consumer's sources, in ascending order,
    fills chunk `l` of the coordinates of these dimensions, flattened row-major in the order of the
    list. The list ascends and is not empty. All consumers have equally many sources (R6, R7), and
    the extents of the listed dimensions grow by that number in total (R12). Sources of different
    consumers may overlap: positions are those in a consumer's own list.

    ```mlir
    %whole = ktdp.inter_tile_gather(%future)
        consumer_tiles_per_group = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>,
        gather_dimensions = [0]
        : <(tensor<8x64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins
    Ktdp_TileFutureType:$future,
    IntegerSetAttr:$consumer_tiles_per_group,
    DenseI64ArrayAttr:$gather_dimensions,
    OptionalAttr<IntegerSetAttr>:$producer_dependency_per_consumer
  );
}

def Ktdp_InterTileAllToAllOp : Ktdp_DeliveryOp<"inter_tile_all_to_all"> {
  let summary = "each consumer's slice of every tile of a group, joined";
  let description = [{
    Every source's tile is cut along `split_dimensions` as in `ktdp.inter_tile_scatter`; a consumer
    takes its slice of each and joins them along `concat_dimensions` as in `ktdp.inter_tile_gather`.
    The two lists are equal or have no dimension in common.

    ```mlir
    // 4 tiles: each gives up three quarters of its columns and gets the others' rows of one quarter
    %columns = ktdp.inter_tile_all_to_all(%future)
        consumer_tiles_per_group = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>,
        split_dimensions = [1], concat_dimensions = [0]
        : <(tensor<8x64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<32x16xf16>
    ```
  }];
  let arguments = (ins
    Ktdp_TileFutureType:$future,
    IntegerSetAttr:$consumer_tiles_per_group,
    DenseI64ArrayAttr:$split_dimensions,
    DenseI64ArrayAttr:$concat_dimensions,
    OptionalAttr<IntegerSetAttr>:$producer_dependency_per_consumer
  );
}

def Ktdp_InterTileScatterOp : Ktdp_DeliveryOp<"inter_tile_scatter"> {
  let summary = "each consumer's slice of one producer's tile";
  let description = [{
    The tile of a group's only producer (R8) is cut along `scatter_dimensions` into as many equal
    slices as the group has consumers (R9); the consumer at position `l` in ascending order gets
    slice `l`, as in `ktdp.inter_tile_reduce_scatter`. Consumers need not be producers.

    ```mlir
    %rows = ktdp.inter_tile_scatter(%future)
        consumer_tiles_per_group = affine_set<(i)[g] : (i - 8 * g >= 0, -i + 8 * g + 7 >= 0)>,
        scatter_dimensions = [0]
        : <(tensor<32x64xf16>), groups = affine_set<(g) : (g == 0)>> -> tensor<4x64xf16>
    ```
  }];
  let arguments = (ins
    Ktdp_TileFutureType:$future,
    IntegerSetAttr:$consumer_tiles_per_group,
    DenseI64ArrayAttr:$scatter_dimensions
  );
}

#endif // KTIR_KTDP_INTER_TILE_OPS_TD
