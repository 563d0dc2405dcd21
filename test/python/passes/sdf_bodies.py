"""Bodies of `sdf_kernels.square_kernel` that compute: they make %r of %a and %b."""

from __future__ import annotations

from ktdp_text import identity
from sdf_kernels import T

BODIES = {
    "elementwise": f"""
        %s = arith.addf %a, %b : {T}
        %t = arith.mulf %s, %a : {T}
        %r = arith.divf %t, %b : {T}""",
    "one value twice": f"""
        %s = arith.mulf %a, %a : {T}
        %r = arith.subf %s, %a : {T}""",
    "splats": f"""
        %h = arith.constant 0.5 : f16
        %i = arith.index_cast %core : index to i32
        %f = arith.sitofp %i : i32 to f16
        %p = tensor.splat %f : {T}
        %q = arith.constant dense<2.0> : {T}
        %s = arith.mulf %a, %p : {T}
        %t = arith.addf %q, %p : {T}
        %r = arith.addf %s, %t : {T}""",
    "reduction and broadcast": f"""
        %zero = arith.constant 0.0 : f16
        %e = tensor.empty() : tensor<8xf16>
        %f = linalg.fill ins(%zero : f16) outs(%e : tensor<8xf16>) -> tensor<8xf16>
        %s = linalg.reduce {{arith.addf}} ins(%a : {T}) outs(%f : tensor<8xf16>) dimensions = [1]
        %w = tensor.empty() : {T}
        %m = linalg.broadcast ins(%s : tensor<8xf16>) outs(%w : {T}) dimensions = [1]
        %r = arith.subf %a, %m : {T}""",
    "accumulation onto a value that lives on": f"""
        %u = linalg.generic {{indexing_maps = [{identity(2)}, {identity(2)}],
            iterator_types = ["parallel", "parallel"]}} ins(%b : {T}) outs(%a : {T}) {{
          ^bb0(%i: f16, %o: f16):
            %v = arith.addf %i, %o : f16
            linalg.yield %v : f16 }} -> {T}
        %r = arith.subf %u, %a : {T}""",
    "matmul from tensor.empty": f"""
        %e = tensor.empty() : tensor<64x8xf16>
        %t = linalg.transpose ins(%b : {T}) outs(%e : tensor<64x8xf16>) permutation = [1, 0]
        %f = tensor.empty() : tensor<8x8xf16>
        %m = linalg.matmul ins(%a, %t : {T}, tensor<64x8xf16>) outs(%f : tensor<8x8xf16>)
            -> tensor<8x8xf16>
        %r = tensor.insert_slice %m into %b[0, 16] [8, 8] [1, 1] : tensor<8x8xf16> into {T}""",
    "slices at computed places": f"""
        %p = tensor.extract_slice %a[%core, 3] [1, 20] [1, 3] : {T} to tensor<20xf16>
        %q = arith.negf %p : tensor<20xf16>
        %s = tensor.insert_slice %q into %b[%core, %core] [1, 20] [1, 2] : tensor<20xf16> into {T}
        %r = arith.addf %s, %b : {T}""",
    "columns": f"""
        %p = tensor.extract_slice %a[0, %core] [8, 1] [1, 1] : {T} to tensor<8xf16>
        %q = math.exp %p : tensor<8xf16>
        %r = tensor.insert_slice %q into %a[0, 5] [8, 1] [1, 1] : tensor<8xf16> into {T}""",
    "reshapes": f"""
        %p = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 4, 64]
            : {T} into tensor<2x4x64xf16>
        %n = arith.negf %p : tensor<2x4x64xf16>
        %q = tensor.collapse_shape %n [[0, 1, 2]] : tensor<2x4x64xf16> into tensor<512xf16>
        %s = tensor.expand_shape %q [[0, 1]] output_shape [32, 16]
            : tensor<512xf16> into tensor<32x16xf16>
        %t = math.exp %s : tensor<32x16xf16>
        %u = tensor.collapse_shape %t [[0, 1]] : tensor<32x16xf16> into tensor<512xf16>
        %r = tensor.expand_shape %u [[0, 1]] output_shape [8, 64] : tensor<512xf16> into {T}""",
    "concat and pad": f"""
        %p = tensor.extract_slice %a[0, 0] [8, 24] [1, 1] : {T} to tensor<8x24xf16>
        %q = tensor.extract_slice %b[0, 9] [8, 30] [1, 1] : {T} to tensor<8x30xf16>
        %s = tensor.concat dim(1) %p, %q : (tensor<8x24xf16>, tensor<8x30xf16>) -> tensor<8x54xf16>
        %h = arith.constant 0.25 : f16
        %r = tensor.pad %s low[0, 4] high[0, 6] {{
          ^bb0(%i: index, %j: index):
            tensor.yield %h : f16 }} : tensor<8x54xf16> to {T}""",
    "elements": f"""
        %s = tensor.extract %a[%core, %c3] : {T}
        %t = tensor.insert %s into %b[%c3, %core] : {T}
        %u = tensor.from_elements %s : tensor<1xf16>
        %v = tensor.extract %u[%c0] : tensor<1xf16>
        %w = tensor.splat %v : {T}
        %r = arith.addf %t, %w : {T}""",
    "half, single and back": f"""
        %s = arith.extf %a : {T} to tensor<8x64xf32>
        %t = math.exp %s : tensor<8x64xf32>
        %r = arith.truncf %t : tensor<8x64xf32> to {T}""",
    "narrow tensors of two widths": f"""
        %p = tensor.extract_slice %a[0, 0] [8, 4] [1, 1] : {T} to tensor<8x4xf16>
        %s = arith.extf %p : tensor<8x4xf16> to tensor<8x4xf32>
        %t = arith.mulf %s, %s : tensor<8x4xf32>
        %u = arith.truncf %t : tensor<8x4xf32> to tensor<8x4xf16>
        %r = tensor.insert_slice %u into %b[0, 0] [8, 4] [1, 1] : tensor<8x4xf16> into {T}""",
    "a mask": f"""
        %c = arith.cmpf ogt, %a, %b : {T}
        %r = arith.select %c, %a, %b : tensor<8x64xi1>, {T}""",
    "counters": f"""
        %e = tensor.empty() : {T}
        %r = linalg.generic {{indexing_maps = [{identity(2)}, {identity(2)}],
            iterator_types = ["parallel", "parallel"]}} ins(%a : {T}) outs(%e : {T}) {{
          ^bb0(%i: f16, %o: f16):
            %n = linalg.index 1 : index
            %k = arith.cmpi slt, %n, %row : index
            %zero = arith.constant 0.0 : f16
            %v = arith.select %k, %i, %zero : f16
            linalg.yield %v : f16 }} -> {T}""",
    "two results": f"""
        %e = tensor.empty() : {T}
        %q:2 = linalg.generic {{indexing_maps = [{identity(2)}, {identity(2)}, {identity(2)}],
            iterator_types = ["parallel", "parallel"]}} ins(%a : {T}) outs(%e, %b : {T}, {T}) {{
          ^bb0(%i: f16, %o: f16, %p: f16):
            %v = arith.negf %i : f16
            %w = arith.addf %i, %p : f16
            linalg.yield %v, %w : f16, f16 }} -> ({T}, {T})
        %s = arith.mulf %q#0, %q#1 : {T}
        %r = arith.addf %s, %b : {T}""",
    "generated": f"""
        %g = tensor.generate {{
          ^bb0(%i: index, %j: index):
            %k = arith.addi %i, %row : index
            %l = arith.muli %k, %j : index
            %m = arith.index_cast %l : index to i32
            %f = arith.sitofp %m : i32 to f16
            tensor.yield %f : f16 }} : {T}
        %r = arith.addf %g, %a : {T}""",
    "tensors without elements": f"""
        %e = tensor.extract_slice %a[0, 0] [0, 64] [1, 1] : {T} to tensor<0x64xf16>
        %f = arith.negf %e : tensor<0x64xf16>
        %g = tensor.concat dim(0) %f, %b : (tensor<0x64xf16>, {T}) -> {T}
        %r = tensor.insert_slice %f into %g[3, 0] [0, 64] [1, 1] : tensor<0x64xf16> into {T}""",
    "a sum over nothing": f"""
        %e = tensor.extract_slice %a[0, 0] [8, 0] [1, 1] : {T} to tensor<8x0xf16>
        %o = tensor.extract_slice %b[0, 5] [8, 1] [1, 1] : {T} to tensor<8xf16>
        %s = linalg.reduce {{arith.addf}} ins(%e : tensor<8x0xf16>) outs(%o : tensor<8xf16>)
            dimensions = [1]
        %w = tensor.empty() : {T}
        %m = linalg.broadcast ins(%s : tensor<8xf16>) outs(%w : {T}) dimensions = [1]
        %r = arith.subf %a, %m : {T}""",
    "softmax of rows": f"""
        %e = tensor.empty() : {T}
        %r = linalg.softmax dimension(1) ins(%a : {T}) outs(%e : {T}) -> {T}""",
    "softmax of columns": f"""
        %e = tensor.empty() : {T}
        %r = linalg.softmax dimension(0) ins(%a : {T}) outs(%e : {T}) -> {T}""",
    "padding by position": f"""
        %p = tensor.extract_slice %a[0, 0] [6, 60] [1, 1] : {T} to tensor<6x60xf16>
        %r = tensor.pad %p low[1, 3] high[1, 1] {{
          ^bb0(%i: index, %j: index):
            %k = arith.addi %i, %core : index
            %l = arith.muli %k, %j : index
            %m = arith.index_cast %l : index to i32
            %f = arith.sitofp %m : i32 to f16
            tensor.yield %f : f16 }} : tensor<6x60xf16> to {T}""",
    "elements put together": f"""
        %s = tensor.extract %a[%core, %c3] : {T}
        %t = tensor.extract %b[%c3, %core] : {T}
        %h = arith.constant 0.5 : f16
        %u = tensor.from_elements %s, %t, %h, %s, %h, %t, %t, %s : tensor<4x2xf16>
        %n = arith.negf %u : tensor<4x2xf16>
        %r = tensor.insert_slice %n into %a[1, 60] [4, 2] [1, 2] : tensor<4x2xf16> into {T}""",
    "bits of another type": f"""
        %p = tensor.bitcast %a : {T} to tensor<8x64xi16>
        %c = arith.constant dense<32767> : tensor<8x64xi16>
        %q = arith.andi %p, %c : tensor<8x64xi16>
        %s = tensor.bitcast %q : tensor<8x64xi16> to {T}
        %n = tensor.rank %s : {T}
        %i = arith.index_cast %n : index to i32
        %f = arith.sitofp %i : i32 to f16
        %t = tensor.splat %f : {T}
        %r = arith.addf %s, %t : {T}""",
    "elements of a whole tensor in a body": f"""
        %e = tensor.empty() : {T}
        %r = linalg.generic {{indexing_maps = [{identity(2)}, {identity(2)}],
            iterator_types = ["parallel", "parallel"]}} ins(%a : {T}) outs(%e : {T}) {{
          ^bb0(%xx: f16, %o: f16):
            %i = linalg.index 0 : index
            %j = linalg.index 1 : index
            %c63 = arith.constant 63 : index
            %k = arith.subi %c63, %j : index
            %g = tensor.extract %b[%i, %k] : {T}
            %h = tensor.extract %b[%core, %c3] : {T}
            %l = tensor.extract %a[%core, %j] : {T}
            %u = arith.addf %xx, %g : f16
            %v = arith.mulf %u, %h : f16
            %w = arith.subf %v, %l : f16
            linalg.yield %w : f16 }} -> {T}""",
    "elements at places that a tensor holds, summed up": f"""
        %n = tensor.generate {{
          ^bb0(%i: index, %j: index):
            %k = arith.muli %i, %j : index
            %c64 = arith.constant 64 : index
            %m = arith.remui %k, %c64 : index
            %l = arith.index_cast %m : index to i32
            tensor.yield %l : i32 }} : tensor<8x64xi32>
        %zz = arith.constant dense<0.0> : tensor<8xf32>
        %s = linalg.generic {{indexing_maps = [{identity(2)}, affine_map<(d0, d1) -> (d0)>],
            iterator_types = ["parallel", "reduction"]}} ins(%n : tensor<8x64xi32>)
            outs(%zz : tensor<8xf32>) {{
          ^bb0(%xx: i32, %o: f32):
            %i = linalg.index 0 : index
            %k = arith.index_cast %xx : i32 to index
            %g = tensor.extract %a[%i, %k] : {T}
            %w = arith.extf %g : f16 to f32
            %v = arith.addf %o, %w : f32
            linalg.yield %v : f32 }} -> tensor<8xf32>
        %t = arith.truncf %s : tensor<8xf32> to tensor<8xf16>
        %w = tensor.empty() : {T}
        %m = linalg.broadcast ins(%t : tensor<8xf16>) outs(%w : {T}) dimensions = [1]
        %r = arith.subf %a, %m : {T}""",
    "elements of a whole tensor, generated": f"""
        %r = tensor.generate {{
          ^bb0(%i: index, %j: index):
            %c7 = arith.constant 7 : index
            %k = arith.subi %c7, %i : index
            %g = tensor.extract %a[%k, %j] : {T}
            tensor.yield %g : f16 }} : {T}""",
    "products of several kinds": f"""
        %p = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 4, 64]
            : {T} into tensor<2x4x64xf16>
        %q = tensor.expand_shape %b [[0], [1, 2]] output_shape [8, 16, 4]
            : {T} into tensor<8x16x4xf16>
        %q2 = tensor.collapse_shape %q [[0, 1], [2]] : tensor<8x16x4xf16> into tensor<128x4xf16>
        %k = tensor.expand_shape %q2 [[0, 1], [2]] output_shape [2, 64, 4]
            : tensor<128x4xf16> into tensor<2x64x4xf16>
        %zz = arith.constant dense<0.0> : tensor<2x4x4xf32>
        %m = linalg.batch_matmul ins(%p, %k : tensor<2x4x64xf16>, tensor<2x64x4xf16>)
            outs(%zz : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
        %n = tensor.collapse_shape %m [[0, 1], [2]] : tensor<2x4x4xf32> into tensor<8x4xf32>
        %z2 = arith.constant dense<0.0> : tensor<8xf32>
        %v = tensor.extract_slice %b[3, 0] [1, 64] [1, 1] : {T} to tensor<64xf16>
        %w = linalg.matvec ins(%a, %v : {T}, tensor<64xf16>) outs(%z2 : tensor<8xf32>)
            -> tensor<8xf32>
        %z3 = arith.constant dense<1.0> : tensor<f32>
        %u = tensor.extract_slice %a[2, 0] [1, 64] [1, 1] : {T} to tensor<64xf16>
        %d = linalg.dot ins(%u, %v : tensor<64xf16>, tensor<64xf16>) outs(%z3 : tensor<f32>)
            -> tensor<f32>
        %e = tensor.empty() : tensor<8x4xf32>
        %xx = linalg.broadcast ins(%d : tensor<f32>) outs(%e : tensor<8x4xf32>) dimensions = [0, 1]
        %yy = linalg.broadcast ins(%w : tensor<8xf32>) outs(%e : tensor<8x4xf32>) dimensions = [1]
        %s = arith.addf %n, %xx : tensor<8x4xf32>
        %t = arith.addf %s, %yy : tensor<8x4xf32>
        %h = arith.truncf %t : tensor<8x4xf32> to tensor<8x4xf16>
        %r = tensor.insert_slice %h into %a[0, 16] [8, 4] [1, 1] : tensor<8x4xf16> into {T}""",
    "windows": f"""
        %k = tensor.extract_slice %b[0, 0] [3, 5] [1, 1] : {T} to tensor<3x5xf16>
        %zz = arith.constant dense<0.0> : tensor<6x60xf32>
        %c = linalg.conv_2d ins(%a, %k : {T}, tensor<3x5xf16>) outs(%zz : tensor<6x60xf32>)
            -> tensor<6x60xf32>
        %h = arith.truncf %c : tensor<6x60xf32> to tensor<6x60xf16>
        %r = tensor.insert_slice %h into %a[0, 0] [6, 60] [1, 1] : tensor<6x60xf16> into {T}""",
    "ops by name": f"""
        %e = tensor.empty() : {T}
        %s = linalg.exp ins(%a : {T}) outs(%e : {T}) -> {T}
        %t = linalg.map {{ arith.maximumf }} ins(%s, %b : {T}, {T}) outs(%e : {T})
        %u = linalg.max ins(%t, %a : {T}, {T}) outs(%e : {T}) -> {T}
        %v = linalg.sub ins(%u, %b : {T}, {T}) outs(%e : {T}) -> {T}
        %m = linalg.map ins(%v, %a : {T}, {T}) outs(%e : {T})
          (%xx: f16, %yy: f16, %o: f16) {{
            %i = linalg.index 1 : index
            %n = arith.cmpi ult, %i, %core : index
            %zz = arith.select %n, %xx, %yy : f16
            linalg.yield %zz : f16 }}
        %r = linalg.copy ins(%m : {T}) outs(%e : {T}) -> {T}""",
    "parts at places that a tensor holds": f"""
        %n = tensor.generate {{
          ^bb0(%i: index, %j: index):
            %k = arith.muli %i, %c3 : index
            %l = arith.addi %k, %core : index
            %m = arith.remui %l, %c8 : index
            %o = arith.index_cast %m : index to i32
            tensor.yield %o : i32 }} : tensor<6x1xi32>
        %g = tensor.gather %a[%n] gather_dims([0])
            : ({T}, tensor<6x1xi32>) -> tensor<6x1x64xf16>
        %h = tensor.gather %b[%n] gather_dims([1]) : ({T}, tensor<6x1xi32>) -> tensor<6x8xf16>
        %u = tensor.collapse_shape %g [[0, 1], [2]] : tensor<6x1x64xf16> into tensor<6x64xf16>
        %v = arith.negf %u : tensor<6x64xf16>
        %p = tensor.extract_slice %n[0, 0] [2, 1] [1, 1] : tensor<6x1xi32> to tensor<2x1xi32>
        %q = tensor.extract_slice %v[0, 0] [2, 64] [1, 1] : tensor<6x64xf16> to tensor<2x64xf16>
        %s = tensor.expand_shape %q [[0, 1], [2]] output_shape [2, 1, 64]
            : tensor<2x64xf16> into tensor<2x1x64xf16>
        %t = tensor.scatter %s into %a[%p] scatter_dims([0]) unique
            : (tensor<2x1x64xf16>, {T}, tensor<2x1xi32>) -> {T}
        %r = tensor.insert_slice %h into %t[1, 40] [6, 8] [1, 1] : tensor<6x8xf16> into {T}""",
    "single elements at places that a tensor holds": f"""
        %n = tensor.generate {{
          ^bb0(%i: index, %j: index):
            %k = arith.muli %i, %c3 : index
            %l = arith.addi %k, %j : index
            %m = arith.remui %l, %c8 : index
            tensor.yield %m : index }} : tensor<5x2xindex>
        %g = tensor.gather %a[%n] gather_dims([0, 1])
            : ({T}, tensor<5x2xindex>) -> tensor<5xf16>
        %r = tensor.insert_slice %g into %b[%core, 9] [1, 5] [1, 7] : tensor<5xf16> into {T}""",
}
