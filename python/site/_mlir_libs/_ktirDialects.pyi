from collections.abc import Sequence

from ._mlir import ir

class AccessTileType(ir.Type):
    @classmethod
    def get(cls, shape: Sequence[int], context: ir.Context | None = None) -> AccessTileType: ...
    @property
    def shape(self) -> list[int]: ...

class RuntimeArgType(ir.Type):
    @classmethod
    def get(
        cls,
        underlying_type: ir.Type,
        granularity: int | None = None,
        upper_bound: int | None = None,
    ) -> RuntimeArgType: ...
    @property
    def underlying_type(self) -> ir.Type: ...
    @property
    def granularity(self) -> int | None: ...
    @property
    def upper_bound(self) -> int | None: ...

class TileFutureType(ir.Type):
    @classmethod
    def get(
        cls,
        partial_types: Sequence[ir.Type],
        groups: ir.Attribute,
        context: ir.Context | None = None,
    ) -> TileFutureType: ...
    @property
    def partial_types(self) -> list[ir.Type]: ...
    @property
    def groups(self) -> ir.Attribute: ...

class SpyreMemorySpaceAttr(ir.Attribute):
    @classmethod
    def get(
        cls, kind: str, core: int | None = None, context: ir.Context | None = None
    ) -> SpyreMemorySpaceAttr: ...
    @property
    def kind(self) -> str: ...
    @property
    def core(self) -> int | None: ...

class MemorySpaceAttr(ir.Attribute):
    @classmethod
    def get(
        cls, kind: str, ct_id: int | None = None, context: ir.Context | None = None
    ) -> MemorySpaceAttr: ...
    @property
    def kind(self) -> str: ...
    @property
    def ct_id(self) -> int | None: ...

class LayoutAttr(ir.Attribute):
    @classmethod
    def get(cls, layout: str, context: ir.Context | None = None) -> LayoutAttr: ...
    @property
    def value(self) -> str: ...

class BufferAttr(ir.Attribute):
    @classmethod
    def get(
        cls,
        address: int,
        shape: Sequence[int],
        element_type: ir.Type,
        context: ir.Context | None = None,
    ) -> BufferAttr: ...
    @property
    def address(self) -> int: ...
    @property
    def shape(self) -> list[int]: ...
    @property
    def element_type(self) -> ir.Type: ...
    @property
    def bytes(self) -> int: ...

class FutureType(ir.Type):
    @classmethod
    def get(cls, context: ir.Context | None = None) -> FutureType: ...

class EngineAttr(ir.Attribute):
    @classmethod
    def get(cls, engine: str, context: ir.Context | None = None) -> EngineAttr: ...
    @property
    def value(self) -> str: ...

class DF16Type(ir.Type):
    @classmethod
    def get(cls, context: ir.Context | None = None) -> DF16Type: ...

class DF16FusedType(ir.Type):
    @classmethod
    def get(cls, context: ir.Context | None = None) -> DF16FusedType: ...

class FP16FusedType(ir.Type):
    @classmethod
    def get(cls, context: ir.Context | None = None) -> FP16FusedType: ...

class FP32FusedType(ir.Type):
    @classmethod
    def get(cls, context: ir.Context | None = None) -> FP32FusedType: ...

class ReductionKindAttr(ir.Attribute):
    @classmethod
    def get(cls, keyword: str, context: ir.Context | None = None) -> ReductionKindAttr: ...
    @property
    def value(self) -> str: ...

class ReductionScopeAttr(ir.Attribute):
    @classmethod
    def get(cls, keyword: str, context: ir.Context | None = None) -> ReductionScopeAttr: ...
    @property
    def value(self) -> str: ...

class ComparePredicateAttr(ir.Attribute):
    @classmethod
    def get(cls, keyword: str, context: ir.Context | None = None) -> ComparePredicateAttr: ...
    @property
    def value(self) -> str: ...
