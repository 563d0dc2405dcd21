//===- KtdpDialect.td - The ktdp dialect itself ---------------*- tablegen -*-===//

#ifndef KTIR_KTDP_DIALECT_TD
#define KTIR_KTDP_DIALECT_TD

include "mlir/IR/OpBase.td"

def Ktdp_Dialect : Dialect {
  let name = "ktdp";
  let cppNamespace = "::mlir::ktdp";
  let summary = "Where data lies, which part of it a core touches, and when it moves";
  let description = [{
    A KTIR kernel (Kernel Tile IR, torch-spyre RFC 0682) is a `func.func` whose body mixes upstream
    dialects with this one. Upstream computes on tensors; `ktdp` describes memory, addresses it and
    moves it:

    1. a *view* (`ktdp.construct_memory_view`, `ktdp.construct_distributed_memory_view`) gives
       memory a shape and moves nothing;
    2. an *access tile* (`ktdp.construct_access_tile`, `ktdp.construct_indirect_access_tile`) names
       coordinates of a view and moves nothing;
    3. `ktdp.load` and `ktdp.store` move the elements at those coordinates to and from a tensor,
       which lives in the scratchpad of the core that made it.

    A kernel runs on every *compute tile* (core) of its grid, the `grid` attribute of the function;
    without one there is a single tile. `ktdp.get_compute_tile_id` says which tile is running.

    ```mlir
    #rows = affine_set<(d0, d1) : (d0 >= 0, -d0 + 95 >= 0, d1 >= 0, -d1 + 63 >= 0)>
    #tile = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 63 >= 0)>
    #id = affine_map<(d0, d1) -> (d0, d1)>

    func.func @negate(%x_ptr: index, %y_ptr: index) attributes {grid = [32]} {
      %core = ktdp.get_compute_tile_id : index
      %x = ktdp.construct_memory_view %x_ptr, sizes: [96, 64], strides: [64, 1] {
        coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM>
      } : memref<96x64xf16>
      %y = ktdp.construct_memory_view %y_ptr, sizes: [96, 64], strides: [64, 1] {
        coordinate_set = #rows, memory_space = #ktdp.spyre_memory_space<HBM>
      } : memref<96x64xf16>
      %from = ktdp.construct_access_tile %x[%core * 3, 0] {
        access_tile_set = #tile, access_tile_order = #id
      } : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
      %to = ktdp.construct_access_tile %y[%core * 3, 0] {
        access_tile_set = #tile, access_tile_order = #id
      } : memref<96x64xf16> -> !ktdp.access_tile<3x64xindex>
      %a = ktdp.load %from : <3x64xindex> -> tensor<3x64xf16>
      %b = arith.negf %a : tensor<3x64xf16>
      ktdp.store %b, %to : tensor<3x64xf16>, <3x64xindex>
      return
    }
    ```

    Names, attributes and operand order are those of the public definition
    (`torch-spyre/ktir-mlir-frontend`), so IR printed by one tool is read by the other.
    The verifiers read one limit from the module around an op: `ktdp.cores`, the number of cores of
    the device (an integer; 32 if absent).
  }];

  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

class Ktdp_Op<string mnemonic, list<Trait> traits = []> : Op<Ktdp_Dialect, mnemonic, traits>;

#endif // KTIR_KTDP_DIALECT_TD
