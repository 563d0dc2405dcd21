"""Builders and views for the ktdp dialect: memory views, access tiles, loads and stores."""

from .._mlir_libs._ktirDialects import (  # noqa: F401
    AccessTileType,
    MemorySpaceAttr,
    RuntimeArgType,
    SpyreMemorySpaceAttr,
)
from ._ktdp_ops_gen import *  # noqa: F403
