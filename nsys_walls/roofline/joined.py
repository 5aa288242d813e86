"""Bring points and counters together; where there is no trace, make points of the counters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nsys_walls.counters.traffic import dram_bytes_of, ncu_time_ns_of
from nsys_walls.join.match import Joined, join, summarise
from nsys_walls.join.profiles import Profile
from nsys_walls.join.summary import weighted_median
from nsys_walls.roofline.points import Point, PointKey, Points, TracedTimes, traced_kernels
from nsys_walls.roofline.run_devices import RunDevices
from nsys_walls.texts import text

COUNTERS_ONLY = text("match.counters_only")


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedPoints:
    """Points with their times and what the join found; mappings are by point number.

    Attributes:
        points: The points.
        times: Their times; a point without launches has none.
        matches: Their counters, for every point that has times.
        unmatched: Profiled launches that no point could use.
    """

    points: Points
    times: Mapping[int, TracedTimes]
    matches: Mapping[int, Joined]
    unmatched: tuple[Profile, ...]


def _bytes_of(values: Mapping[str, float]) -> float | None:
    found = dram_bytes_of(values)
    return found[0] if found else None


def join_traced(
    points: Points,
    times: Mapping[int, TracedTimes],
    profiles: Sequence[Profile],
    devices: RunDevices,
) -> JoinedPoints:
    """Join the traced points of a run with its profiled launches."""
    traced = traced_kernels(points, times, devices)
    result = join(traced, profiles, _bytes_of)
    matches = {row.id: match for row, match in zip(traced, result.joined, strict=True)}
    return JoinedPoints(points=points, times=times, matches=matches, unmatched=result.unmatched)


def join_counters_only(profiles: Sequence[Profile], devices: RunDevices) -> JoinedPoints:
    """Make a point of every profiled shape; of every launch where shapes are unknown."""
    groups: dict[tuple[PointKey, int], list[Profile]] = {}
    for number, profile in enumerate(profiles):
        device = profile.device if profile.device is not None else min(devices.facts)
        key = PointKey(
            device, profile.name, profile.grid, profile.block, profile.dynamic_shared_bytes
        )
        alone = number if profile.grid is None or profile.block is None else -1
        groups.setdefault((key, alone), []).append(profile)
    points = Points(points=tuple(Point(key=key) for key, _ in groups))
    times, matches = {}, {}
    for number, group in enumerate(groups.values()):
        matches[number] = summarise(group, "shape", COUNTERS_ONLY, _bytes_of)
        times[number] = _ncu_times(group)
    return JoinedPoints(points=points, times=times, matches=matches, unmatched=())


def _ncu_times(group: Sequence[Profile]) -> TracedTimes:
    launches = sum(profile.launches for profile in group)
    durations = sorted(
        (time_ns, profile.launches)
        for profile in group
        if (time_ns := ncu_time_ns_of(profile.values)) is not None
    )
    if not durations:
        return TracedTimes(launches=launches, time_ns=None)
    total = sum(time_ns * count for time_ns, count in durations)
    return TracedTimes(
        launches=launches,
        time_ns=round(total),
        median_ns=weighted_median(durations),
        mean_ns=total / sum(count for _, count in durations),
        min_ns=round(durations[0][0]),
        max_ns=round(durations[-1][0]),
    )
