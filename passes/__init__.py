"""Compiler passes, one a file, by stage. Importing this package registers every pass with MLIR."""

from ktir.passes.distribution.distribute import Distribute
from ktir.passes.division.divide_work import DivideWork
from ktir.passes.emission.emit import Emit
from ktir.passes.grouping.group_kernels import GroupKernels
from ktir.passes.grouping.insert_relayouts import InsertRelayouts
from ktir.passes.lowering.lower_to_sdf import LowerToSdf
from ktir.passes.normalization import NORMALIZE
from ktir.passes.tiling.check_plan import CheckPlan
from ktir.passes.tiling.choose_tiles import ChooseTiles

__all__ = [
    "NORMALIZE",
    "CheckPlan",
    "ChooseTiles",
    "Distribute",
    "DivideWork",
    "Emit",
    "GroupKernels",
    "InsertRelayouts",
    "LowerToSdf",
]
