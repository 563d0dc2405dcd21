"""Builders and views for the ktdp dialect: views of memory, access tiles, loads, stores, exchange."""

from .. import ir
from .._mlir_libs._ktirDialects import (
    AccessTileType as AccessTileType,
    MemorySpaceAttr as MemorySpaceAttr,
    RuntimeArgType as RuntimeArgType,
    SpyreMemorySpaceAttr as SpyreMemorySpaceAttr,
    TileFutureType as TileFutureType,
)
from ._ktdp_enum_gen import *  # noqa: F403
from ._ktdp_ops_gen import *  # noqa: F403
from ._ktdp_ops_gen import ConstructMemoryViewOp
from .ktdp_builders import (
    access_tile as access_tile,
    all_to_all as all_to_all,
    compute_tile_id as compute_tile_id,
    consume as consume,
    distributed_view as distributed_view,
    gather as gather,
    indirect_access_tile as indirect_access_tile,
    load_tile as load_tile,
    memory_view as memory_view,
    produce as produce,
    reduce as reduce,
    reduce_scatter as reduce_scatter,
    scatter as scatter,
    store_tile as store_tile,
)


def coordinate_set_of(view: ConstructMemoryViewOp) -> ir.Attribute:
    """The integer set of the coordinates that exist in a view.

    Where the op does not state one, the box of its sizes; symbols stand for the sizes that are
    values, from left to right.
    """
    stated = view.coordinate_set
    if stated is not None:
        return stated
    bounds, symbols = [], 0
    for dim, size in enumerate(view.static_sizes):
        if size == ir.ShapedType.get_dynamic_size():
            bounds.append(f"d{dim} >= 0, s{symbols} - d{dim} - 1 >= 0")
            symbols += 1
        else:
            bounds.append(f"d{dim} >= 0, {size - 1} - d{dim} >= 0")
    dims = ", ".join(f"d{dim}" for dim in range(len(bounds)))
    names = ", ".join(f"s{symbol}" for symbol in range(symbols))
    constraints = ", ".join(bounds) or "0 == 0"
    return ir.Attribute.parse(f"affine_set<({dims})[{names}] : ({constraints})>", view.context)
