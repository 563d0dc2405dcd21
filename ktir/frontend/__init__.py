"""From PyTorch to linalg: torch.export, operators as torch means them, torch-mlir, and the calling
convention.

`import_model` is the way in. Modules: `export` (graph, arguments, results), `decompositions` and
`decompose_*` (what operators mean), `graph` (checks and rewrites), `lowering` (torch-mlir),
`importer` (all of it), `calling` and `structure` (inputs and outputs of a call), `source` (places
in the model's code), `opmath` (shared helpers).
"""
