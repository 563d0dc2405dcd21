"""Bodies of `sdf_kernels.square_kernel` with control flow: they make %r of %a and %b."""

from __future__ import annotations

from sdf_kernels import T

CONTROL_BODIES = {
    "a loop with another number of turns on each core": f"""
        %r = scf.for %i = %c0 to %core step %c1 iter_args(%t = %a) -> {T} {{
          %n = arith.addf %t, %b : {T}
          scf.yield %n : {T} }}""",
    "a carried value that is needed after it was replaced": f"""
        %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %a) -> {T} {{
          %n = arith.addf %t, %b : {T}
          %m = arith.mulf %n, %t : {T}
          scf.yield %n : {T} }}""",
    "an init that lives on, nested": f"""
        %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %b) -> {T} {{
          %n = scf.for %j = %c0 to %c3 step %c1 iter_args(%u = %a) -> {T} {{
            %m = arith.addf %u, %t : {T}
            scf.yield %m : {T} }}
          %h = arith.constant dense<0.125> : {T}
          %k = arith.mulf %n, %h : {T}
          scf.yield %k : {T} }}""",
    "a shift through a loop": f"""
        %q:3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %a, %n = %c0, %u = %b)
            -> ({T}, index, {T}) {{
          %m = arith.addi %n, %i : index
          %v = arith.negf %u : {T}
          scf.yield %v, %m, %t : {T}, index, {T} }}
        %i1 = arith.index_cast %q#1 : index to i32
        %f = arith.sitofp %i1 : i32 to f16
        %p = tensor.splat %f : {T}
        %s = arith.subf %q#0, %q#2 : {T}
        %r = arith.addf %s, %p : {T}""",
    "a branch that cores take differently": f"""
        %k = arith.cmpi ult, %core, %c1 : index
        %q, %h = scf.if %k -> ({T}, f16) {{
          %n = arith.negf %a : {T}
          %one = arith.constant 1.0 : f16
          scf.yield %n, %one : {T}, f16
        }} else {{
          %two = arith.constant 2.0 : f16
          scf.yield %b, %two : {T}, f16 }}
        %p = tensor.splat %h : {T}
        %s = arith.mulf %q, %p : {T}
        %r = arith.addf %s, %b : {T}""",
    "a branch of splats": f"""
        %k = arith.cmpi ult, %core, %c1 : index
        %r = scf.if %k -> {T} {{
          %n = arith.constant dense<1.0> : {T}
          scf.yield %n : {T}
        }} else {{
          %n = arith.constant dense<2.0> : {T}
          scf.yield %n : {T} }}""",
    "a store that only some cores do": f"""
        %k = arith.cmpi ult, %core, %c1 : index
        scf.if %k {{
          %n = arith.negf %b : {T}
          ktdp.store %n, %yt : {T}, <8x64xindex> }}
        %r = arith.negf %a : {T}""",
    "a loop that ends when its values say so": f"""
        %q:2 = scf.while (%n = %core, %t = %a) : (index, {T}) -> (index, {T}) {{
          %more = arith.cmpi ult, %n, %c3 : index
          scf.condition(%more) %n, %t : index, {T}
        }} do {{
        ^bb0(%n: index, %t: {T}):
          %u = arith.addf %t, %b : {T}
          %m = arith.addi %n, %c1 : index
          scf.yield %m, %u : index, {T} }}
        %s = arith.subf %q#1, %a : {T}
        %i = arith.index_cast %q#0 : index to i32
        %f = arith.sitofp %i : i32 to f16
        %p = tensor.splat %f : {T}
        %r = arith.addf %s, %p : {T}""",
    "a while loop whose parts pass on different values": f"""
        %r, %z0 = scf.while (%n = %c0, %t = %a, %u = %b) : (index, {T}, {T}) -> ({T}, {T}) {{
          %m = arith.addi %n, %core : index
          %more = arith.cmpi ult, %m, %c3 : index
          %v = arith.mulf %t, %u : {T}
          scf.condition(%more) %v, %t : {T}, {T}
        }} do {{
        ^bb0(%v: {T}, %w: {T}):
          %s = arith.subf %v, %w : {T}
          scf.yield %c3, %w, %s : index, {T}, {T} }}""",
    "a region that runs once": f"""
        %q, %h = scf.execute_region -> ({T}, f16) {{
          %n = arith.negf %a : {T}
          %one = arith.constant 1.5 : f16
          scf.yield %n, %one : {T}, f16 }}
        %p = tensor.splat %h : {T}
        %r = arith.mulf %q, %p : {T}""",
    "independent iterations": f"""
        %r = scf.forall (%i, %j) in (4, 2) shared_outs(%o = %b) -> ({T}) {{
          %at = affine.apply affine_map<(d0) -> (2 * d0)>(%i)
          %to = affine.apply affine_map<(d0) -> (32 * d0)>(%j)
          %p = tensor.extract_slice %a[%at, %to] [2, 32] [1, 1] : {T} to tensor<2x32xf16>
          %q = tensor.extract_slice %o[%at, %to] [2, 32] [1, 1] : {T} to tensor<2x32xf16>
          %s = arith.addf %p, %q : tensor<2x32xf16>
          scf.forall.in_parallel {{
            tensor.parallel_insert_slice %s into %o[%at, %to] [2, 32] [1, 1]
                : tensor<2x32xf16> into {T} }} }}""",
    "independent iterations of two outputs": f"""
        %q:2 = scf.forall (%i) = (0) to (8) step (3) shared_outs(%o = %b, %p = %a) -> ({T}, {T}) {{
          %s = tensor.extract_slice %a[%i, 0] [1, 64] [1, 1] : {T} to tensor<1x64xf16>
          %n = arith.negf %s : tensor<1x64xf16>
          scf.forall.in_parallel {{
            tensor.parallel_insert_slice %n into %o[%i, 0] [1, 64] [1, 1]
                : tensor<1x64xf16> into {T}
            tensor.parallel_insert_slice %s into %p[0, 0] [1, 64] [1, 1]
                : tensor<1x64xf16> into {T} }} }}
        %r = arith.addf %q#0, %q#1 : {T}""",
    "a function beside the kernel": f"""
        %s, %h = func.call @beside(%a, %c3) : ({T}, index) -> ({T}, f16)
        %t, %k = func.call @beside(%s, %core) : ({T}, index) -> ({T}, f16)
        %p = tensor.splat %k : {T}
        %r = arith.addf %t, %p : {T}""",
    "a switch": f"""
        %q, %h = scf.index_switch %core -> {T}, f16
        case 1 {{
          %n = arith.negf %a : {T}
          %one = arith.constant 1.0 : f16
          scf.yield %n, %one : {T}, f16 }}
        case 3 {{
          %two = arith.constant 2.0 : f16
          scf.yield %b, %two : {T}, f16 }}
        default {{
          %s = arith.addf %a, %b : {T}
          %three = arith.constant 3.0 : f16
          scf.yield %s, %three : {T}, f16 }}
        %p = tensor.splat %h : {T}
        %r = arith.mulf %q, %p : {T}""",
    "a reduction over independent iterations": f"""
        %one = arith.constant 1.0 : f16
        %s, %t = scf.parallel (%i, %j) = (%c0, %c0) to (%c3, %core) step (%c1, %c1)
            init(%one, %b) -> (f16, {T}) {{
          %h = tensor.extract %a[%i, %j] : {T}
          %p = tensor.splat %h : {T}
          scf.reduce(%h, %p : f16, {T}) {{
          ^bb0(%so: f16, %n: f16):
            %v = arith.subf %n, %so : f16
            scf.reduce.return %v : f16
          }}, {{
          ^bb0(%so: {T}, %n: {T}):
            %v = arith.subf %n, %so : {T}
            scf.reduce.return %v : {T} }} }}
        %p = tensor.splat %s : {T}
        %r = arith.addf %p, %t : {T}""",
}
