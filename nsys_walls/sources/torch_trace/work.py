"""Work on the GPUs as rows for the store: launches, their kernels, copies, synchronisations."""

import re

import numpy as np
import pyarrow as pa

from nsys_walls.sources.torch_trace.calls import Callers
from nsys_walls.sources.torch_trace.collect import Collected
from nsys_walls.sources.torch_trace.columns import Columns, printable
from nsys_walls.sources.torch_trace.rules import rules
from nsys_walls.traces.arrow import in_int32, integers, optional_integers, table, texts
from nsys_walls.traces.nesting import OUTSIDE

_AXES = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z")


def launch_table(collected: Collected, callers: Callers | None) -> tuple[pa.Table, int]:
    """Make the rows of ``launches``.

    Args:
        collected: The trace.
        callers: Where its launches were made; None where it has no ranges.

    Returns:
        The rows, and how many have no call in the trace.
    """
    launches = collected.launches
    ranges, without_call = _ranges(launches, callers)
    rows = table(
        {
            **_times(collected, launches),
            "kernel": launches.array("kernel"),
            "graph_node": launches.array("graph_node"),
            **ranges,
        }
    )
    return rows, without_call


def kernel_table(collected: Collected, process: int | None) -> pa.Table:
    """Make the rows of ``kernels``.

    Kineto adds up static and dynamic shared memory, so that both stay unknown.

    Args:
        collected: The trace.
        process: The process that launched all of them, if there is one.
    """
    kernels = list(collected.kernels)
    names, gpus, grids, blocks, registers = zip(*kernels, strict=True)
    sizes = zip(*(grid + block for grid, block in zip(grids, blocks, strict=True)), strict=True)
    return table(
        {
            "kernel": optional_integers(range(len(kernels))),
            "name": optional_integers(names),
            "gpu": optional_integers(gpus),
            "process": optional_integers([process] * len(kernels)),
            **dict(zip(_AXES, map(optional_integers, sizes), strict=True)),
            "registers": optional_integers(registers),
        }
    )


def name_table(collected: Collected) -> pa.Table:
    """Make the rows of ``names``."""
    names = list(collected.kernel_names)
    return table(
        {
            "name": optional_integers(range(len(names))),
            "full": printable(names),
            "mangled": printable([name if name.startswith("_Z") else None for name in names]),
        }
    )


def copy_table(collected: Collected, callers: Callers | None, process: int | None) -> pa.Table:
    """Make the rows of ``copies``: copies and sets."""
    copies = collected.copies
    name = integers(copies["name"])
    labels = [_copy_labels(kind, text) for kind, text in collected.copy_names]
    operation, source, target = (texts(column).take(name) for column in zip(*labels, strict=True))
    ranges, _ = _ranges(copies, callers)
    return table(
        {
            **_times(collected, copies),
            "gpu": copies.array("gpu"),
            "process": _same(process, len(copies)),
            "operation": operation,
            "bytes": copies.array("bytes"),
            "source_memory": source,
            "target_memory": target,
            **ranges,
        }
    )


def _copy_labels(kind: str, name: str) -> tuple[str, str | None, str | None]:
    """Read what a copy does, and from which memory to which, from its name."""
    copies = rules()["copies"]
    memories = copies["memories"]
    if kind == "set":
        match = re.fullmatch(copies["set_name"], name)
        return "memset", None, memories.get(match["target"]) if match else None
    match = re.fullmatch(copies["name"], name)
    if match is None:
        return "other", None, None
    operation = copies["operations"].get(match["way"], "other")
    return operation, memories.get(match["source"]), memories.get(match["target"])


def sync_table(collected: Collected, process: int | None) -> pa.Table:
    """Make the rows of ``syncs``; a GPU that was only waited for did no work and has no number."""
    syncs = collected.syncs
    numbers = {ordinal: gpu for gpu, ordinal in enumerate(collected.gpus)}
    ordinals, place = np.unique(syncs["ordinal"], return_inverse=True)
    gpu = optional_integers([numbers.get(ordinal) for ordinal in ordinals.tolist()])
    kinds = texts([rules()["syncs"].get(name) for name in collected.sync_names])
    return table(
        {
            **_times(collected, syncs),
            "gpu": gpu.take(integers(place)),
            "process": _same(process, len(syncs)),
            "kind": kinds.take(integers(syncs["name"])),
        }
    )


def _times(collected: Collected, work: Columns) -> dict[str, pa.Array]:
    """Make the columns that all work on a GPU has: when, and on which stream."""
    stream = work["stream"]
    return {
        "start_ns": integers(work["start"] - collected.first_ns),
        "duration_ns": integers(work["duration"]),
        # all ones in 32 bits, or -1: no stream is meant
        "stream": in_int32(integers(stream, stream >= 0)),
        "correlation": work.array("correlation"),
    }


def _ranges(work: Columns, callers: Callers | None) -> tuple[dict[str, pa.Array], int]:
    if callers is None:
        return {}, 0
    ranges, without_call = callers.ranges_of(work["correlation"])
    return {"range": integers(ranges, ranges != OUTSIDE)}, without_call


def _same(value: int | None, rows: int) -> pa.Array:
    return optional_integers([value]).take(integers(np.zeros(rows, np.int64)))
