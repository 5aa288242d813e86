"""The answer as data, for ``--format json`` (schema ``nsys-walls/whatif/1``).

Keys are stable, new ones may come; ``null`` is "not known". Ids and names of kernels are
those of the report of the same run; every ``after_ns`` is "at least", every ``saved_ns`` "at
most".
"""

from typing import TypedDict

from nsys_walls import __version__
from nsys_walls.whatif import Times, WhatIf

WHATIF_SCHEMA = "nsys-walls/whatif/1"


class TimesRow(TypedDict):
    """A time before and after, and the part of it that goes."""

    before_ns: float
    after_ns: float
    saved_ratio: float


class EffectRow(TypedDict):
    """A kernel that runs faster; times of all its launches."""

    id: int
    name: str
    before_ns: int
    after_ns: float
    saved_ns: float
    #: bytes or FLOP are unknown, so it may save less
    floor_is_partial: bool
    #: faster than its work and traffic allow: it would have to do less
    beats_floor: bool
    #: its launches wait: faster code alone does not bring it nearer to its wall
    held_by_latency: bool


class UnchangedRow(TypedDict):
    """A kernel that was meant and stays as it is."""

    id: int
    name: str
    time_ns: int
    reason: str


class ChainRow(TypedDict):
    """A chain of kernels fused into one; a blocked one saves nothing."""

    id: str
    kernels: list[int]
    saved_ns: float
    blockers: list[str]


class WhatIfDocument(TypedDict):
    """The whole answer; over several GPUs, times are sums over them."""

    schema: str
    version: str
    run: str
    #: options, as they could be typed
    changes: list[str]
    devices: int
    #: sum of all kernels
    kernel_ns: TimesRow
    #: union of kernels over each device
    busy_ns: TimesRow
    #: first start to last end on each device, idle time and copies kept
    span_ns: TimesRow | None
    #: busy time before over after; null where nothing would be left
    speedup_bound: float | None
    kernels: list[EffectRow]
    unchanged: list[UnchangedRow]
    chains: list[ChainRow]


def whatif_document(answer: WhatIf, run: str) -> WhatIfDocument:
    """Write an answer as data, ready for JSON."""
    return {
        "schema": WHATIF_SCHEMA,
        "version": __version__,
        "run": run,
        "changes": list(answer.typed),
        "devices": answer.devices,
        "kernel_ns": _times(answer.kernels),
        "busy_ns": _times(answer.busy),
        "span_ns": None if answer.span is None else _times(answer.span),
        "speedup_bound": answer.speedup_bound,
        "kernels": [
            {
                "id": row.kernel.id,
                "name": row.kernel.name,
                "before_ns": row.kernel.time_ns,
                "after_ns": row.after_ns,
                "saved_ns": row.saved_ns,
                "floor_is_partial": row.floor_is_partial,
                "beats_floor": row.beats_floor,
                "held_by_latency": row.held_by_latency,
            }
            for row in answer.effects
        ],
        "unchanged": [
            {
                "id": row.kernel.id,
                "name": row.kernel.name,
                "time_ns": row.kernel.time_ns,
                "reason": row.reason,
            }
            for row in answer.unchanged
        ],
        "chains": [
            {
                "id": row.id,
                "kernels": list(row.chain.kernels),
                "saved_ns": row.saved_ns,
                "blockers": list(row.chain.blockers),
            }
            for row in answer.chains
        ],
    }


def _times(times: Times) -> TimesRow:
    return {
        "before_ns": times.before_ns,
        "after_ns": times.after_ns,
        "saved_ratio": times.saved_ratio,
    }
