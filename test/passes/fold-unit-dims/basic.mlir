// RUN: ktir-opt %s --ktir-fold-unit-dims --canonicalize | filecheck %s

#all = affine_map<(i, j) -> (i, j)>
#kept = affine_map<(i, j) -> (i, 0)>

// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[ONE:.*]] = affine_map<(d0) -> (d0)>

// The kept dimension of a sum goes, with the loop of extent 1 of what computes on it; the reader broadcasts by its map.

// CHECK-LABEL: func.func @statistics
// CHECK-NOT: tensor.expand_shape
// CHECK: %[[S:.*]] = linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]]]
// CHECK-SAME: outs(%{{.*}} : tensor<5xf32>)
// CHECK: %[[M:.*]] = linalg.generic {indexing_maps = [#[[ONE]], #[[ONE]]], iterator_types = ["parallel"]}
// CHECK-SAME: ins(%[[S]] : tensor<5xf32>)
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]]
// CHECK-SAME: ins(%{{.*}}, %[[M]] : tensor<5x8xf32>, tensor<5xf32>)
func.func @statistics(%x: tensor<5x8xf32>) -> tensor<5x8xf32> {
  %zero = arith.constant 0.0 : f32
  %eight = arith.constant 8.0 : f32
  %e = tensor.empty() : tensor<5x1xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5x1xf32>) -> tensor<5x1xf32>
  %s = linalg.generic {indexing_maps = [#all, #kept], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x8xf32>) outs(%f : tensor<5x1xf32>) {
    ^bb0(%i: f32, %o: f32):
      %a = arith.addf %i, %o : f32
      linalg.yield %a : f32
  } -> tensor<5x1xf32>
  %m = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%s : tensor<5x1xf32>) outs(%e : tensor<5x1xf32>) {
    ^bb0(%i: f32, %o: f32):
      %q = arith.divf %i, %eight : f32
      linalg.yield %q : f32
  } -> tensor<5x1xf32>
  %n = tensor.empty() : tensor<5x8xf32>
  %r = linalg.generic {indexing_maps = [#all, #kept, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<5x8xf32>, tensor<5x1xf32>) outs(%n : tensor<5x8xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %d = arith.subf %i, %j : f32
      linalg.yield %d : f32
  } -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// Operands behind reshapes that add or drop ones are read at the source.

// CHECK-LABEL: func.func @operands
// CHECK-SAME: %[[X:.*]]: tensor<5x1x8xf32>, %[[B:.*]]: tensor<8xf32>
// CHECK-NOT: tensor.collapse_shape
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]], %[[B]] : tensor<5x1x8xf32>, tensor<8xf32>)
func.func @operands(%x: tensor<5x1x8xf32>, %b: tensor<8xf32>) -> tensor<5x8xf32> {
  %c = tensor.collapse_shape %x [[0], [1, 2]] : tensor<5x1x8xf32> into tensor<5x8xf32>
  %d = tensor.expand_shape %b [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %n = tensor.empty() : tensor<5x8xf32>
  %r = linalg.generic {indexing_maps = [#all, affine_map<(i, j) -> (0, j)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%c, %d : tensor<5x8xf32>, tensor<1x8xf32>) outs(%n : tensor<5x8xf32>) {
    ^bb0(%i: f32, %j: f32, %o: f32):
      %s = arith.addf %i, %j : f32
      linalg.yield %s : f32
  } -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}
