"""Builders and views for the plan dialect: kernels with their division and tiles."""

from .._mlir_libs._ktirDialects import LayoutAttr as LayoutAttr
from ._plan_enum_gen import *  # noqa: F403
from ._plan_ops_gen import *  # noqa: F403
