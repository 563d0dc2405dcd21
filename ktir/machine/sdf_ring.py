"""`sdf` ops between cores: `by_core`, `publish`, `receive`.

Owns their decoding and their runs, with or without values. Publications and waits are in `futures`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import torch

from ktir.errors import BoundsError, MachineError
from ktir.machine.block import Step
from ktir.machine.board import Future
from ktir.machine.constants import constant_tensor
from ktir.machine.decode import Scope, handler
from ktir.machine.frame import Frame
from ktir.machine.futures import arrived, publish
from ktir.machine.kernel_state import kernel_run
from ktir.machine.location import Place
from ktir.machine.memory import buffer_bytes
from ktir.machine.percore import alike
from ktir.machine.sdf_buffers import claim, decode_buffer


@handler("sdf.by_core")
def decode_by_core(op: Any, scope: Scope) -> Step:
    """The entry of each core in a table of one row a core."""
    table = constant_tensor(op.table, op.table.type)[0]
    indices = scope.slots(list(op.indices))
    result = scope.define(op.results[0])

    def by_core(frame: Frame) -> None:
        if table.shape[0] != frame.run.cores:
            raise MachineError(
                f"a table of {table.shape[0]} rows in a launch of {frame.run.cores} cores"
            )
        places = [frame[slot] for slot in indices]
        for dim, place in enumerate(places):
            low, high, size = int(place.min()), int(place.max()), table.shape[dim + 1]
            if low < 0 or high >= size:
                raise BoundsError(
                    f"index {low if low < 0 else high} in dimension {dim + 1} of a table that has "
                    f"0..{size - 1}"
                )
        frame[result] = alike(table[(frame.group.numbers, *places)])

    return by_core


@handler("sdf.publish")
def decode_publish(op: Any, scope: Scope) -> Step:
    """Copies of the buffers of the cores that produce, for others to receive."""
    buffers = [decode_buffer(entry) for entry in op.buffers]
    kernel = claim(scope, buffers)
    kernel.has_exchanges = True
    producers = torch.tensor(list(op.producers), dtype=torch.int64)
    result = scope.define(op.results[0])
    key = object()

    def publish_buffers(frame: Frame) -> None:
        numbers = frame.group.numbers
        active = torch.isin(numbers, producers).nonzero().flatten()
        values = []
        if kernel.values and active.shape[0]:
            for buffer in buffers:
                data = buffer.read(frame.narrowed(active, ()))
                values.append(data.clone())
        frame[result] = publish(frame, key, numbers[active], values)

    def resolve(frame: Frame) -> tuple[Step, tuple[int, ...]]:
        made: Future = dataclasses.replace(frame[result], values=())
        numbers = frame.group.numbers
        active = torch.isin(numbers, producers).nonzero().flatten()
        everyone = active.shape[0] == numbers.shape[0]
        published = buffers if active.shape[0] else ()

        def again(frame: Frame) -> None:
            inner = frame if everyone else frame.narrowed(active, ())
            values = [buffer.get(inner).clone() for buffer in published]
            frame[result] = dataclasses.replace(made, values=values)

        return again, ()

    return scope.resolves(publish_buffers, resolve)


@handler("sdf.receive")
def decode_receive(op: Any, scope: Scope) -> Step:
    """Fills this core's buffers with what another core published."""
    buffers = [decode_buffer(entry) for entry in op.buffers]
    kernel = claim(scope, writes=buffers)
    source, future = scope.slot(op.core), scope.slot(op.future)
    size = sum(buffer_bytes(buffer.shape, buffer.dtype) for buffer in buffers)
    place = Place.of(op)

    def receive(frame: Frame) -> None:
        run, numbers = kernel_run(frame), frame.group.numbers
        sources = frame[source].expand(frame.group.size)
        low, high = int(sources.min()), int(sources.max())
        if low < 0 or high >= run.cores:
            raise BoundsError(
                f"core {low if low < 0 else high} is named as a source; the grid has cores 0 to "
                f"{run.cores - 1}"
            )
        found = arrived(frame, frame[future], numbers, sources.unsqueeze(1), place)
        run.counters.ring(int((sources != numbers).sum()) * size)
        if kernel.values:
            for role, buffer in enumerate(buffers):
                buffer.write(frame, found.pick(role, sources))

    def resolve(frame: Frame) -> tuple[Step, tuple[int, ...]]:
        rows = frame[future].rows_of(frame[source].expand(frame.group.size))

        def again(frame: Frame) -> None:
            for buffer, value in zip(buffers, frame[future].values, strict=True):
                buffer.write(frame, value if value.shape[0] == 1 else value[rows])

        return again, (future,)

    return scope.resolves(receive, resolve)


@handler("sdf.constant")
def decode_constant(op: Any, scope: Scope) -> Step:
    """A buffer's elements from the program."""
    buffer = decode_buffer(op.dst)
    kernel = claim(scope, writes=[buffer])
    value = constant_tensor(op.value, op.value.type)

    def fill(frame: Frame) -> None:
        if kernel.values:
            buffer.write(frame, value)

    return fill
