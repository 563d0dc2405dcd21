"""Builders and views for the spyreop dialect: intrinsics of the Spyre device."""

from .._mlir_libs._ktirDialects import (
    ComparePredicateAttr as ComparePredicateAttr,
    DF16FusedType as DF16FusedType,
    DF16Type as DF16Type,
    FP16FusedType as FP16FusedType,
    FP32FusedType as FP32FusedType,
    ReductionKindAttr as ReductionKindAttr,
    ReductionScopeAttr as ReductionScopeAttr,
)
from ._spyreop_enum_gen import *  # noqa: F403
from ._spyreop_ops_gen import *  # noqa: F403
