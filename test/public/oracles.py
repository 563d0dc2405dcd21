"""What kernels leave in memory, computed plainly with numpy: for the examples that ktir-cpu cannot
answer, because it keeps every array apart, with its type, where the files' arrays share bytes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from test.public.inputs import Inputs

_SIDE = 64
_INDEX_1, _INDEX_2, _RESULT = 64 * 4, 128 * 4, 192 * 2
"""Where the index arrays and the result begin, in bytes: addresses are counted in elements, of four
bytes for indices and two for values."""


def _square(memory: bytes | bytearray, dtype: type, start: int) -> Any:
    return np.frombuffer(memory, dtype, _SIDE * _SIDE, start).reshape(_SIDE, _SIDE)


def _indices(memory: bytes) -> tuple[Any, Any]:
    return _square(memory, np.int32, _INDEX_1), _square(memory, np.int32, _INDEX_2)


def gathered(inputs: Inputs) -> dict[str, Any]:
    """Y[m, k] = X[IDX1[m, k], IDX2[m, k]] on memory that the four arrays share."""
    image = inputs.device[0]
    memory = image.tobytes()
    result = _square(memory, np.float16, 0)[_indices(memory)]
    after = bytearray(memory)
    after[_RESULT : _RESULT + result.nbytes] = result.tobytes()
    return {"device:0": np.frombuffer(after, image.dtype)}


def scattered(inputs: Inputs) -> dict[str, Any]:
    """Y[IDX1[m, k], IDX2[m, k]] = X[m, k], the last one of several to one element stays."""
    image = inputs.device[0]
    memory = image.tobytes()
    after = bytearray(memory)
    result = _square(after, np.float16, _RESULT)
    rows, columns = _indices(memory)
    for at, value in np.ndenumerate(_square(memory, np.float16, 0)):
        result[rows[at], columns[at]] = value
    return {"device:0": np.frombuffer(after, image.dtype)}
