//===- SdfTransferOps.td - Memory to scratchpad and back -----*- tablegen -*-===//

#ifndef KTIR_SDF_TRANSFER_OPS_TD
#define KTIR_SDF_TRANSFER_OPS_TD

include "sdf/SdfAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdf_TransferOp<string mnemonic>
    : Sdf_Op<mnemonic, [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let hasVerifier = 1;
}

def Sdf_ReadOp : Sdf_TransferOp<"read"> {
  let summary = "device memory to scratchpad";
  let description = [{
    Fills `dst` from a strided tensor in device memory. With one entry a dimension of `dst` in each
    list, element `j` of the buffer is the one at

    ```
    base + sum over i of (offsets[i] + j[i]) * strides[i]
    ```

    in elements of the buffer's type, or zero where some `offsets[i] + j[i]` is not in
    `[0, bounds[i])`. With the attribute `keep`, an element out of bounds keeps what the buffer holds.
    All lists may mix integers and `index` values. Engine: `load`.

    With `in core %c` the memory is the scratchpad of core `%c`, which may be the running core, and the
    base counts elements from the start of that scratchpad.

    Bounds mask; `within` forbids. It has two entries a dimension, the first legal coordinate and the one
    after the last: a transfer that names another coordinate is a fault of the program.

    With `sizes`, one entry a dimension of `dst`, elements from there on count as out of bounds, wherever
    they are: `within` does not ask. A size below 0 or beyond the buffer is a fault of the program.

    ```mlir
    sdf.read #sdf.buffer<0, 8x384xf16> from %x[%row, 0] bounds [250, 384] strides [384, 1]
    sdf.read #sdf.buffer<0, 8x384xf16> from %x[%row, 0] bounds [250, 384] strides [384, 1]
        within [0, 256, 0, 384]
    sdf.read #sdf.buffer<0, 8x64xf16> from %at[0, 0] bounds [8, 64] strides [64, 1] in core %c {keep}
    sdf.read #sdf.buffer<0, 8x64xf16> from %x[%row, 0] bounds [250, 64] strides [64, 1] sizes [%n, 64]
    ```
  }];
  let arguments = (ins
    Sdf_BufferAttr:$dst,
    Index:$base,
    Variadic<Index>:$offsets,
    Variadic<Index>:$bounds,
    Variadic<Index>:$strides,
    Variadic<Index>:$sizes,
    Optional<Index>:$core,
    DenseI64ArrayAttr:$static_offsets,
    DenseI64ArrayAttr:$static_bounds,
    DenseI64ArrayAttr:$static_strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$static_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$within,
    UnitAttr:$keep
  );
  let assemblyFormat = [{
    custom<Buffer>($dst) `from` $base `` custom<DynamicIndexList>($offsets, $static_offsets)
    `bounds` custom<DynamicIndexList>($bounds, $static_bounds)
    `strides` custom<DynamicIndexList>($strides, $static_strides)
    (`sizes` custom<DynamicIndexList>($sizes, $static_sizes)^)?
    (`in` `core` $core^)? (`within` $within^)? attr-dict
  }];
}

def Sdf_WriteOp : Sdf_TransferOp<"write"> {
  let summary = "scratchpad to device memory";
  let description = [{
    The converse of `sdf.read`: element `j` of `src` goes to the address given there, in device memory or
    `in core %c`, and elements out of bounds are not written; `within` and `sizes` are those of
    `sdf.read`. Engine: `store`.

    ```mlir
    sdf.write #sdf.buffer<0, 8x384xf16> to %y[%row, 0] bounds [250, 384] strides [384, 1]
    ```
  }];
  let arguments = (ins
    Sdf_BufferAttr:$src,
    Index:$base,
    Variadic<Index>:$offsets,
    Variadic<Index>:$bounds,
    Variadic<Index>:$strides,
    Variadic<Index>:$sizes,
    Optional<Index>:$core,
    DenseI64ArrayAttr:$static_offsets,
    DenseI64ArrayAttr:$static_bounds,
    DenseI64ArrayAttr:$static_strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$static_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$within
  );
  let assemblyFormat = [{
    custom<Buffer>($src) `to` $base `` custom<DynamicIndexList>($offsets, $static_offsets)
    `bounds` custom<DynamicIndexList>($bounds, $static_bounds)
    `strides` custom<DynamicIndexList>($strides, $static_strides)
    (`sizes` custom<DynamicIndexList>($sizes, $static_sizes)^)?
    (`in` `core` $core^)? (`within` $within^)? attr-dict
  }];
}

def Sdf_GatherOp : Sdf_TransferOp<"gather"> {
  let summary = "device memory to scratchpad, at places that index buffers tell";
  let description = [{
    As `sdf.read`, but the coordinate in a dimension of device memory may come from an index buffer,
    and the dimensions of `dst` need not be those of device memory. The four lists have one entry a
    dimension of device memory. For element `j` of the buffer, the coordinate in dimension `i` is

    | entry of `via` | coordinate |
    | --- | --- |
    | `_` | `offsets[i] + j[i]` |
    | a map `m` | `offsets[i] + m(j)` |
    | `#buffer[m]` | `offsets[i] +` the element of the buffer at `m(j)` |
    | a table of `i64`, of the shape of `dst` | `offsets[i] +` the element of the table at `j` |

    Where some coordinate is not in `[0, bounds[i])`, the element is zero, or stays as it is with the
    attribute `keep`. `in core %c`, `within` and `sizes` are those of `sdf.read`. Without `within` a
    coordinate from an index buffer that is out of bounds is a fault of the program, where the others
    are in bounds. Maps go from the dimensions of `dst`. Index buffers hold integers. Engine: `load`.

    ```mlir
    // rows of an embedding table: dst[r, c] = table[ids[r], c]
    sdf.gather #sdf.buffer<0, 8x384xf16> from %table[0, 0]
        via [#sdf.buffer<6144, 8xi32>[affine_map<(d0, d1) -> (d0)>], _]
        bounds [30522, 384] strides [384, 1]
    ```

    In the generic form `index_buffers` holds a buffer, a table or `unit` a dimension, and `index_maps`
    always a map; `_` is the map to `d_i` without a buffer, and a table has the identity map.
  }];
  let arguments = (ins
    Sdf_BufferAttr:$dst,
    Index:$base,
    Variadic<Index>:$offsets,
    Variadic<Index>:$bounds,
    Variadic<Index>:$strides,
    Variadic<Index>:$sizes,
    Optional<Index>:$core,
    ArrayAttr:$index_buffers,
    AffineMapArrayAttr:$index_maps,
    DenseI64ArrayAttr:$static_offsets,
    DenseI64ArrayAttr:$static_bounds,
    DenseI64ArrayAttr:$static_strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$static_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$within,
    UnitAttr:$keep
  );
  let assemblyFormat = [{
    custom<Buffer>($dst) `from` $base `` custom<DynamicIndexList>($offsets, $static_offsets)
    `via` custom<Via>($index_buffers, $index_maps, ref($dst))
    `bounds` custom<DynamicIndexList>($bounds, $static_bounds)
    `strides` custom<DynamicIndexList>($strides, $static_strides)
    (`sizes` custom<DynamicIndexList>($sizes, $static_sizes)^)?
    (`in` `core` $core^)? (`within` $within^)? attr-dict
  }];
}

def Sdf_ScatterOp : Sdf_TransferOp<"scatter"> {
  let summary = "scratchpad to device memory, at places that index buffers tell";
  let description = [{
    The converse of `sdf.gather`: element `j` of `src` goes to the coordinates given there, and
    elements out of bounds are not written. Where several elements go to one place, the last one in
    row-major order of `src` stays. Engine: `store`.

    ```mlir
    // rows of a cache: cache[slots[r], c] = src[r, c]
    sdf.scatter #sdf.buffer<0, 8x128xf16> to %cache[0, 0]
        via [#sdf.buffer<2048, 8xi64>[affine_map<(d0, d1) -> (d0)>], _]
        bounds [4096, 128] strides [128, 1]
    ```
  }];
  let arguments = (ins
    Sdf_BufferAttr:$src,
    Index:$base,
    Variadic<Index>:$offsets,
    Variadic<Index>:$bounds,
    Variadic<Index>:$strides,
    Variadic<Index>:$sizes,
    Optional<Index>:$core,
    ArrayAttr:$index_buffers,
    AffineMapArrayAttr:$index_maps,
    DenseI64ArrayAttr:$static_offsets,
    DenseI64ArrayAttr:$static_bounds,
    DenseI64ArrayAttr:$static_strides,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$static_sizes,
    OptionalAttr<DenseI64ArrayAttr>:$within
  );
  let assemblyFormat = [{
    custom<Buffer>($src) `to` $base `` custom<DynamicIndexList>($offsets, $static_offsets)
    `via` custom<Via>($index_buffers, $index_maps, ref($src))
    `bounds` custom<DynamicIndexList>($bounds, $static_bounds)
    `strides` custom<DynamicIndexList>($strides, $static_strides)
    (`sizes` custom<DynamicIndexList>($sizes, $static_sizes)^)?
    (`in` `core` $core^)? (`within` $within^)? attr-dict
  }];
}

#endif // KTIR_SDF_TRANSFER_OPS_TD
