"""Kernels as other producers write them, with numbers that numpy or PyTorch gives.

`kernels/*.mlir` are in the style of compilers of tile languages, of generators and of people: masks
by comparison, loops that carry values, sizes and strides as arguments, tiles by address. The
modules beside this one say for each what it is run on and what it must leave; `launch` collects
them. Tests run every kernel at both levels in every spelling of `spelling`.
"""
