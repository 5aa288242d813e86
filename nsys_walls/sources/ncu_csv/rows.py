"""Rows of the table ``counters`` from the profiled launches of a file."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from nsys_walls.sources.ncu_csv.launches import UNREADABLE, Cell, Launch, Profile, Shape
from nsys_walls.sources.ncu_csv.metrics import (
    BLOCK,
    CAPABILITY,
    DEVICE_NAME,
    DYNAMIC_SHARED,
    GRID,
)
from nsys_walls.store.schema import TABLES
from nsys_walls.textfile import read_number

# A counter of 64 bits can't hold more, and no rate of a GPU comes near: such a value was damaged.
_MOST = 2.0**64
_IMPOSSIBLE = "values that no counter can have"


def counters(profile: Profile) -> pa.Table:
    """Make the table; the decimal mark is known now, so this is where numbers are read.

    What can't be read as a number is counted in ``profile.skipped``.
    """
    rows = [
        {"profile": number} | _row(launch, profile)
        for number, launch in enumerate(profile.launches)
    ]
    return pa.Table.from_pylist(rows, schema=TABLES["counters"])


def _row(launch: Launch, profile: Profile) -> dict[str, Any]:
    facts = _numbers(launch.facts, profile)
    shared = facts.get(DYNAMIC_SHARED)
    device = launch.facts.get(DEVICE_NAME)
    return {
        "launch_id": launch.launch_id,
        "process": launch.process,
        "ordinal": launch.ordinal,
        "compute_capability": launch.compute_capability or _capability(facts),
        "device_name": None if device is None else device.text,
        "name": launch.name,
        **_axes("grid", launch.grid or _shape(facts, GRID)),
        **_axes("block", launch.block or _shape(facts, BLOCK)),
        "dynamic_shared_bytes": None if shared is None else round(shared),
        "launches": launch.launches,
        "values": list(_numbers(launch.counters, profile).items()),
    }


def _numbers(printed: Mapping[str, Cell], profile: Profile) -> dict[str, float]:
    numbers = {}
    mark = profile.style.mark
    for name, cell in printed.items():
        if name != DEVICE_NAME:
            try:
                value = read_number(cell.text, mark, cell.exponent)
            except ValueError:
                profile.skipped[UNREADABLE] += 1
                continue
            if 0 <= value <= _MOST:
                numbers[name] = value
            else:
                profile.skipped[_IMPOSSIBLE] += 1
    return numbers


def _shape(facts: Mapping[str, float], names: Sequence[str]) -> Shape | None:
    """Take a shape from metrics, as in raw pages before 2022."""
    if not all(name in facts for name in names):
        return None
    x, y, z = (round(facts[name]) for name in names)
    return x, y, z


def _capability(facts: Mapping[str, float]) -> str | None:
    if not all(name in facts for name in CAPABILITY):
        return None
    return ".".join(f"{facts[name]:.0f}" for name in CAPABILITY)


def _axes(what: str, shape: Shape | None) -> dict[str, int | None]:
    values = shape or (None, None, None)
    return {f"{what}_{axis}": value for axis, value in zip("xyz", values, strict=True)}
