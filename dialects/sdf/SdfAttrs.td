//===- SdfAttrs.td - Buffers and engines ----------------------*- tablegen -*-===//

#ifndef KTIR_SDF_ATTRS_TD
#define KTIR_SDF_ATTRS_TD

include "sdf/SdfDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/EnumAttr.td"

def Sdf_BufferAttr : AttrDef<Sdf_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a place in the scratchpad: address, shape and element type";
  let description = [{
    The address is in bytes, a multiple of 128. Elements lie row-major; each row, that is the last
    dimension, is padded to whole sticks of 128 bytes. A buffer of rank 0 is one element and takes one
    stick. An `i1` takes one byte.

    ```
    buffer ::= `#sdf.buffer` `<` address `,` (size `x`)* element-type `>`
    ```

    ```mlir
    #sdf.buffer<6144, 8x384xf16>  // 8 rows of 6 sticks: bytes 6144 to 12287
    #sdf.buffer<0, 10xf32>        // 40 bytes, padded to 128
    #sdf.buffer<128, f32>         // one element
    ```
  }];
  let parameters = (ins
    "int64_t":$address,
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$elementType
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return static_cast<int64_t>(getShape().size()); }
    int64_t getNumElements() const;
    /// Bytes of one element: at least one, and eight for an index.
    int64_t getElementBytes() const;
    /// Bytes of the buffer, with every row padded to whole sticks.
    int64_t getSizeInBytes() const;
    /// The first byte after the buffer.
    int64_t getEnd() const { return getAddress() + getSizeInBytes(); }
  }];
}

def Sdf_BufferArrayAttr : TypedArrayAttrBase<Sdf_BufferAttr, "array of buffers">;

/// A constant of integers that ops look things up in.
def Sdf_TableAttr : ElementsAttrBase<
    CPred<"::llvm::isa<::mlir::DenseIntElementsAttr>($_self) && "
          "::llvm::isa<::mlir::RankedTensorType>("
          "::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getType()) && "
          "(::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getElementType().isInteger(64) || "
          "::llvm::cast<::mlir::DenseIntElementsAttr>($_self).getElementType().isIndex())">,
    "dense tensor of i64 or index"> {
  let storageType = "::mlir::DenseIntElementsAttr";
  let returnType = "::mlir::DenseIntElementsAttr";
  let convertFromStorage = "$_self";
}

/// A compute op runs on one of two engines; the others are those of moves.
def Sdf_Engine : I32Enum<"Engine", "an engine of a core", [
    I32EnumCase<"Load", 0, "load">,
    I32EnumCase<"Store", 1, "store">,
    I32EnumCase<"Matrix", 2, "matrix">,
    I32EnumCase<"Vector", 3, "vector">,
    I32EnumCase<"Ring", 4, "ring">,
  ]> {
  let cppNamespace = "::mlir::sdf";
}

def Sdf_EngineAttr : EnumAttr<Sdf_Dialect, Sdf_Engine, "engine"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // KTIR_SDF_ATTRS_TD
