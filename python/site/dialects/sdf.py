"""Builders and views for the sdf dialect: transfers and compute on addressed scratchpad buffers."""

from .._mlir_libs._ktirDialects import (
    BufferAttr as BufferAttr,
    EngineAttr as EngineAttr,
    FutureType as FutureType,
)
from ._sdf_enum_gen import *  # noqa: F403
from ._sdf_ops_gen import *  # noqa: F403
