//===- SdfPointsOps.td - Coordinates that a program computes --*- tablegen -*-===//

#ifndef KTIR_SDF_POINTS_OPS_TD
#define KTIR_SDF_POINTS_OPS_TD

include "sdf/SdfAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdf_PointsOp : Sdf_Op<"points", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the points of a set, in order, to index buffers";
  let description = [{
    Element `j`, in row-major order, of buffer `i` becomes the coordinate in dimension `i` of point `j`
    of `set`, whose symbols have the values `symbols`. Points are in the lexicographic order of the
    results of `order`; those with equal results are in the order of their coordinates. There is a
    buffer of `i64` a dimension, all of one shape, with as many elements as the set has points: a set
    with another number of points is a fault of the program. Engine: `vector`.

    ```mlir
    // the first %n columns of a triangle of fifteen points, column by column
    sdf.points #sdf.buffer<0, 15xi64>, #sdf.buffer<128, 15xi64>
        of affine_set<(d0, d1)[s0] : (d1 >= 0, d0 - d1 >= 0, -d0 + s0 - 1 >= 0)>[%n]
        order affine_map<(d0, d1) -> (d1, d0)>
    ```
  }];
  let arguments = (ins
    Sdf_BufferArrayAttr:$buffers,
    Variadic<Index>:$symbols,
    IntegerSetAttr:$set,
    AffineMapAttr:$order
  );
  let assemblyFormat = [{
    custom<BufferList>($buffers) `of` $set (`` `[` $symbols^ `]`)? `order` $order attr-dict
  }];
  let hasVerifier = 1;
}

#endif // KTIR_SDF_POINTS_OPS_TD
