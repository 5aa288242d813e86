"""Kernel time by NVTX range."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.timeline import Timeline

OUTSIDE = "(outside)"

# PyTorch numbers every operator in its range name; without that, a run of 93 operators
# shows 18,000 ranges
_COUNTER = re.compile(r",\s*(?:op_id|seq)\s*=\s*\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeTotal:
    """Kernels launched inside ranges of one name.

    Attributes:
        name: Text of the range, without operator counters.
        launches: Kernel launches inside, ranges in it included.
        time_ns: Their time, ns; ranges overlap, so these do not add up.
        self_time_ns: Time of kernels whose innermost range this is, ns.
        time_by_wall_ns: ``time_ns`` by wall.
    """

    name: str
    launches: int
    time_ns: int
    self_time_ns: int
    time_by_wall_ns: Mapping[str, int]


class _Sum:
    def __init__(self) -> None:
        self.launches = self.time_ns = self.self_time_ns = 0
        self.by_wall: dict[str, int] = {}

    def add(self, launches: int, time_ns: int, wall: str) -> None:
        self.launches += launches
        self.time_ns += time_ns
        self.by_wall[wall] = self.by_wall.get(wall, 0) + time_ns


def total_ranges(
    run: StoredRun, timeline: Timeline, kernels: Mapping[int, KernelPoint]
) -> tuple[RangeTotal, ...]:
    """Sum kernel time by range name, by falling time; nothing where a run has no ranges.

    Args:
        run: The run.
        timeline: Its launches.
        kernels: Kernels by point.

    Returns:
        One row a name, and a row ``(outside)`` for kernels in no range. A name that is
        nested in itself counts once.
    """
    rows = run.read("ranges").select(["source", "range", "parent", "name"]).to_pylist()
    if not rows:
        return ()
    parents = {(row["source"], row["range"]): row["parent"] for row in rows}
    names = {(row["source"], row["range"]): _COUNTER.sub("", row["name"] or "") for row in rows}
    sums: dict[str, _Sum] = {}
    for row in timeline.range_times():
        path: list[str] = []
        current = row.range
        while current is not None:
            path.append(names[row.source, current])
            current = parents[row.source, current]
        path = path or [OUTSIDE]
        sums.setdefault(path[0], _Sum()).self_time_ns += row.time_ns
        for name in set(path):
            total = sums.setdefault(name, _Sum())
            total.add(row.launches, row.time_ns, kernels[row.point].wall)
    totals = [
        RangeTotal(
            name=name,
            launches=total.launches,
            time_ns=total.time_ns,
            self_time_ns=total.self_time_ns,
            time_by_wall_ns=total.by_wall,
        )
        for name, total in sums.items()
    ]
    return tuple(sorted(totals, key=lambda total: (-total.time_ns, total.name)))
