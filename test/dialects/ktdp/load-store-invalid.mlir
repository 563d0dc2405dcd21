// RUN: ktir-opt %s -split-input-file -verify-diagnostics

func.func @load_shape(%a: !ktdp.access_tile<32x64xindex>) {
  // expected-error @below {{access tile shape must match result tensor shape: moves 'tensor<16x64xf16>' with the tile '!ktdp.access_tile<32x64xindex>'}}
  %d = ktdp.load %a : <32x64xindex> -> tensor<16x64xf16>
  return
}

// -----

func.func @store_shape(%d: tensor<64xf16>, %a: !ktdp.access_tile<1x64xindex>) {
  // expected-error @below {{data tile shape must match access tile shape: moves 'tensor<64xf16>' with the tile '!ktdp.access_tile<1x64xindex>'}}
  ktdp.store %d, %a : tensor<64xf16>, <1x64xindex>
  return
}

// -----

func.func @store_no_rank(%d: tensor<*xf16>, %a: !ktdp.access_tile<1x64xindex>) {
  // expected-error @below {{moves 'tensor<*xf16>'; expected a tensor with a rank}}
  ktdp.store %d, %a : tensor<*xf16>, <1x64xindex>
  return
}

// -----

func.func @load_element_type(%v: memref<8xf16>) {
  %t = ktdp.construct_access_tile %v[0] {
    access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>,
    access_tile_order = affine_map<(d0) -> (d0)>
  } : memref<8xf16> -> !ktdp.access_tile<8xindex>
  // expected-error @below {{moves 'tensor<8xf32>', but the tile addresses 'memref<8xf16>'; both have the same element type}}
  %d = ktdp.load %t : <8xindex> -> tensor<8xf32>
  return
}
