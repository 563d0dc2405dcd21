"""What a kernel is run on: the arguments that are given, checked, and the outputs that are not.

Owns the rules: inputs and scalars must be given, arrays must have the element type and the shape
that the kernel views them with, and outputs that nobody gives are allocated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any

import torch

from ktir.describe import OUT, SCALAR, Argument, Description
from ktir.errors import InputError, did_you_mean
from ktir.machine import arrays
from ktir.machine.numerics import dtype_of
from ktir.machine.scalar_arguments import plain_number

Arguments = dict[str, Any]
Device = dict[int, Any]


def completed(
    kernel: Description, given: Mapping[str, Any], device: Mapping[int, Any]
) -> tuple[Arguments, Device]:
    """The arguments and arrays in device memory with the outputs that are missing.

    They are `Unwritten`: every byte 0xFF (NaN in floats), so that what a kernel does not write
    shows; torch tensors if any array given is one, else numpy arrays.

    Raises InputError for an argument that is missing, unknown, or does not fit.
    """
    check_names(kernel, given)
    names = scalars_of(kernel, given)
    for key, value in given.items():
        argument = kernel.of(key)
        if argument is not None and arrays.is_array(value):
            if argument.role == SCALAR and argument.used and kernel.followed:
                raise InputError(
                    f"argument '{key}' of {signature(kernel)} is a number of type {argument.kind}, "
                    "not an array"
                )
            check_array(f"argument '{key}'", value, argument, names)
    for address, value in device.items():
        at = kernel.of(address)
        # A larger array is memory as a whole, which has no element type of its own.
        if at is not None and arrays.is_array(value) and not _holds_more(value, at, names):
            check_array(f"device[{address}]", value, at, names)
    like_torch = any(isinstance(v, torch.Tensor) for v in (*given.values(), *device.values()))
    arguments, places = dict(given), dict(device)
    # Scalars first: shapes of outputs may depend on them.
    for argument in sorted(_missing(kernel, given), key=lambda a: a.role != SCALAR):
        arguments[str(argument.name)] = allocated(kernel, argument, names, like_torch)
    for place in kernel.addresses:
        if isinstance(place.name, int) and place.role == OUT and not _covered(place, device, names):
            places[place.name] = allocated(kernel, place, names, like_torch)
    return arguments, places


def check_places(device: Mapping[int, Any], scratchpads: Mapping[tuple[int, int], Any]) -> None:
    """Raises InputError for an address in device memory, or a core and an address, that is none, or
    that holds no array."""
    for address, array in device.items():
        if not isinstance(address, Integral):
            raise InputError(f"device[{address!r}]: expected an address, counted in elements")
        if not arrays.is_array(array):
            raise InputError(f"device[{address}] is no array")
    for place, array in scratchpads.items():
        if not (
            isinstance(place, tuple) and [isinstance(n, Integral) for n in place] == [True] * 2
        ):
            raise InputError(
                f"scratchpads[{place!r}]: expected a core and an address, counted in elements"
            )
        if not arrays.is_array(array):
            raise InputError(f"scratchpads{list(place)} is no array")


def check_names(kernel: Description, given: Iterable[str]) -> None:
    """Raises InputError for the name of no argument."""
    for key in given:
        if kernel.of(key) not in kernel.arguments:
            known = [str(argument.name) for argument in kernel.arguments]
            near = did_you_mean(str(key), known)
            raise InputError(f"{signature(kernel)} has no argument '{key}'{near}")


def _missing(kernel: Description, given: Mapping[str, Any]) -> list[Argument]:
    """The arguments that are not given."""
    return [
        argument
        for number, argument in enumerate(kernel.arguments)
        if str(argument.name) not in given and f"arg{number}" not in given
    ]


def scalars_of(kernel: Description, given: Mapping[str, Any]) -> dict[str, int]:
    """The integers among the arguments, by the file's names. Raises InputError for numbers that are
    none, or that their types do not hold.
    """
    found = {}
    for number, argument in enumerate(kernel.arguments):
        kind = argument.kind if argument.role == SCALAR else "index"
        for key in dict.fromkeys((str(argument.name), f"arg{number}")):
            if key in given and _INTEGER.fullmatch(kind) and _is_number(given[key]):
                found[str(argument.name)] = int(plain_number(given[key], kind, key))
    return found


_INTEGER = re.compile(r"index|i\d+")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) or (
        hasattr(value, "item") and not arrays.is_array(value)
    )


def check_array(what: str, array: Any, argument: Argument, scalars: Mapping[str, int]) -> None:
    """Raises InputError for an array whose elements or shape are not what the kernel views.

    A shape may differ in dimensions of one element and in the first of the others: rows that the
    kernel does not touch may be left out, and are a fault if it does. One-dimensional arrays have
    any length.
    """
    if argument.shape is None:
        return
    elements = argument.kind.split(" or ")
    found = arrays.element_type(array)
    if not any(arrays.fits(array, element) for element in elements):
        raise InputError(
            f"{what}: the kernel views it as {argument.kind}, the array given holds {found}"
        )
    wanted = argument.shape.known(scalars)
    if wanted is None:
        return
    given, expected = _without_ones(array.shape), _without_ones(wanted)
    if len(given) == len(expected) > 1 and given[1:] != expected[1:]:
        raise InputError(
            f"{what}: found {found}[{_times(array.shape)}], the kernel views it as "
            f"{_times(wanted)}; give it with that shape"
        )


def allocated(
    kernel: Description, argument: Argument, scalars: Mapping[str, int], like_torch: bool
) -> Any:
    """A missing output. Raises InputError for anything else that is missing."""
    what = f"argument '{argument.name}' of {signature(kernel)} is missing"
    if argument.role == SCALAR:
        raise InputError(f"{what}: a number of type {argument.kind}")
    assert argument.shape is not None
    if argument.role != OUT:
        raise InputError(
            f"{what}: an array of {argument.kind}, shape {argument.shape}, that the kernel reads"
        )
    shape = argument.shape.known(scalars)
    if shape is None or " or " in argument.kind:
        raise InputError(
            f"{what}, and cannot be allocated: its type is {argument.kind}, its shape "
            f"{argument.shape}; give an array of that shape"
        )
    check_size(f"argument '{argument.name}'", shape, dtype_of(argument.kind))
    return unwritten(shape, argument.kind, like_torch)


def check_size(what: str, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    """Raises InputError for an array of negative extents, or larger than any address space."""
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize > _MOST_BYTES:
        raise InputError(f"{what}: its shape would be {_times(shape)}; no array has that")


_MOST_BYTES = 2**62
"""More than any device has; sums of a few such sizes still fit into 64 bits."""


def unwritten(shape: tuple[int, ...], element: str, like_torch: bool) -> arrays.Unwritten:
    """An array that nobody has written. Types that numpy does not have are torch's."""
    dtype = dtype_of(element)
    return arrays.Unwritten(shape, dtype, like_torch or dtype in _TORCH_ONLY)


_TORCH_ONLY = (torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2)


def signature(kernel: Description) -> str:
    """'@add(x_ptr, n)'."""
    return f"@{kernel.name}({', '.join(str(a.name) for a in kernel.arguments)})"


def _holds_more(array: Any, place: Argument, scalars: Mapping[str, int]) -> bool:
    """Whether an array at a constant address has more elements than the kernel views from there."""
    size = int(array.dtype.itemsize)
    return arrays.byte_count(array) // size > _elements(place, scalars)


def _elements(place: Argument, scalars: Mapping[str, int]) -> int:
    """Elements from a constant address to the end of what is viewed from there."""
    assert place.shape is not None
    return max(view.span(scalars) or 1 for view in place.shape.views)


def _covered(place: Argument, device: Mapping[int, Any], scalars: Mapping[str, int]) -> bool:
    """Whether an array that is given shares bytes with the place."""
    assert isinstance(place.name, int)
    size = dtype_of(place.kind.partition(" or ")[0]).itemsize
    start, end = place.name * size, (place.name + _elements(place, scalars)) * size
    for address, array in device.items():
        first = address * int(array.dtype.itemsize)
        if first < end and start < first + arrays.byte_count(array):
            return True
    return False


def _without_ones(shape: Any) -> tuple[int, ...]:
    return tuple(int(extent) for extent in shape if extent != 1)


def _times(shape: Any) -> str:
    return "x".join(str(int(extent)) for extent in shape)
