"""Every op of the upstream dialects that kernels use: what it computes, or why it is refused.

`registry` lists the ops that the installed MLIR has. `table` says for each of them, in kernels as
producers write them, either what it leaves in memory or with which words it is refused, at levels
`ktir` and `sdf`. The page docs/reference/upstream.md is made from it (`page`).

The kernels are in modules by kind: `elementwise`, `tensors`, `products`, `structured`, `control`,
`memory`; what no level or one level only runs is in `refusals`.
"""
