//===- SdfLocalOps.td - Moves inside the scratchpad -----------*- tablegen -*-===//

#ifndef KTIR_SDF_LOCAL_OPS_TD
#define KTIR_SDF_LOCAL_OPS_TD

include "sdf/SdfAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Sdf_CopyOp : Sdf_Op<"copy", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>
  ]> {
  let summary = "a rectangle of one buffer to a rectangle of another";
  let description = [{
    For every `j` with `0 <= j[i] < sizes[i]`, element `src_offsets + j * src_strides` of `src` goes to
    element `dst_offsets + j * dst_strides` of `dst`, dimension by dimension. The first list after a
    buffer is its offsets, the second its strides, counted in elements of that dimension. Both buffers
    have the same rank and element type, and are the same buffer or do not overlap. All lists may mix
    integers and `index` values. Engine: `vector`.

    ```mlir
    // the even columns of the source, to the right half of the destination
    sdf.copy #sdf.buffer<0, 8x64xf16>[0, 0][1, 2] to #sdf.buffer<1024, 8x64xf16>[0, 32][1, 1]
        sizes [8, 32]
    ```
  }];
  let arguments = (ins
    Sdf_BufferAttr:$src,
    Sdf_BufferAttr:$dst,
    Variadic<Index>:$src_offsets,
    Variadic<Index>:$src_strides,
    Variadic<Index>:$dst_offsets,
    Variadic<Index>:$dst_strides,
    Variadic<Index>:$sizes,
    DenseI64ArrayAttr:$static_src_offsets,
    DenseI64ArrayAttr:$static_src_strides,
    DenseI64ArrayAttr:$static_dst_offsets,
    DenseI64ArrayAttr:$static_dst_strides,
    DenseI64ArrayAttr:$static_sizes
  );
  let assemblyFormat = [{
    custom<Buffer>($src) `` custom<DynamicIndexList>($src_offsets, $static_src_offsets)
    `` custom<DynamicIndexList>($src_strides, $static_src_strides)
    `to` custom<Buffer>($dst) `` custom<DynamicIndexList>($dst_offsets, $static_dst_offsets)
    `` custom<DynamicIndexList>($dst_strides, $static_dst_strides)
    `sizes` custom<DynamicIndexList>($sizes, $static_sizes) attr-dict
  }];
  let hasVerifier = 1;
}

def Sdf_ReshapeOp : Sdf_Op<"reshape", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the elements of a buffer in another shape";
  let description = [{
    Element `k` of `src` in row-major order becomes element `k` of `dst`. Padding of rows is not
    counted, so bytes may move even within a buffer's size. Engine: `vector`.

    ```mlir
    sdf.reshape #sdf.buffer<0, 8x96xf16> to #sdf.buffer<2048, 8x12x8xf16>
    ```
  }];
  let arguments = (ins Sdf_BufferAttr:$src, Sdf_BufferAttr:$dst);
  let assemblyFormat = "custom<Buffer>($src) `to` custom<Buffer>($dst) attr-dict";
  let hasVerifier = 1;
}

def Sdf_ConstantOp : Sdf_Op<"constant", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fills a buffer with constant elements";
  let description = [{
    The value has the shape and element type of the buffer. It is part of the program. Engine: `load`.

    ```mlir
    sdf.constant #sdf.buffer<0, 2x2xf16>, dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf16>
    ```
  }];
  let arguments = (ins Sdf_BufferAttr:$dst, ElementsAttr:$value);
  let assemblyFormat = "custom<Buffer>($dst) `,` $value attr-dict";
  let hasVerifier = 1;
}

def Sdf_ExtractOp : Sdf_Op<"extract", [MemoryEffects<[MemRead]>]> {
  let summary = "one element of a buffer as a scalar";
  let description = [{
    The element at the given place, for scalar code: a loop bound, an address, a factor. Engine:
    `vector`.

    ```mlir
    %s = sdf.extract #sdf.buffer<0, 8x64xf16>[%i, 3] : f16
    ```
  }];
  let arguments = (ins
    Sdf_BufferAttr:$src,
    Variadic<Index>:$indices,
    DenseI64ArrayAttr:$static_indices
  );
  let results = (outs AnyTypeOf<[AnyInteger, AnyFloat, Index]>:$result);
  let assemblyFormat = [{
    custom<Buffer>($src) `` custom<DynamicIndexList>($indices, $static_indices)
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

#endif // KTIR_SDF_LOCAL_OPS_TD
