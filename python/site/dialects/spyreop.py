"""Builders and views for the spyreop dialect: intrinsics of the Spyre device."""

from .._mlir_libs._ktirDialects import (  # noqa: F401
    ComparePredicateAttr,
    DF16FusedType,
    DF16Type,
    FP16FusedType,
    FP32FusedType,
    ReductionKindAttr,
    ReductionScopeAttr,
)
from ._spyreop_enum_gen import *  # noqa: F403
from ._spyreop_ops_gen import *  # noqa: F403
