"""Builders and views for the ktdp dialect: memory views, access tiles, loads and stores, exchange."""

from .._mlir_libs._ktirDialects import (  # noqa: F401
    AccessTileType,
    MemorySpaceAttr,
    RuntimeArgType,
    SpyreMemorySpaceAttr,
    TileFutureType,
)
from ._ktdp_ops_gen import *  # noqa: F403
