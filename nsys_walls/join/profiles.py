"""Profiled launches, and how the files of one launch become one.

One report of Nsight Compute is often exported several times: details page, chosen metrics,
single sections. All of them call their launch ID 0. Read one by one they would count as
several launches, and a rate of one file could meet the time of another.

Rules:
    - Profiles are one launch where process, ID, device, shape and name agree and they come
      from different sources. Names agree where no printed detail contradicts.
    - A metric that two of them have and that differs by more than 2 % proves two launches
      (process numbers repeat in containers). Rates, percentages and clocks prove nothing:
      the passes of one launch run at different clocks.
    - Where any two files under one key contradict, only files that share a metric and agree
      are merged: a file that fits both launches belongs to neither.
    - Of a metric in several files the value with most digits is kept (auto units round).
    - Values per second come only from files that hold their own time (or elapsed cycles and
      their rate), scaled so that value x merged time is the amount that their own file
      counted. Rates per cycle stay: they fit the elapsed cycles of any file of the launch.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from nsys_walls.join.names import closeness, forms_of
from nsys_walls.units import NS_PER_S

Shape = tuple[int, int, int]

#: Two values of one metric that differ by more are of two launches.
SAME_VALUE_RATIO = 0.02
#: Auto units print two decimals, so 1.00 Kbyte is 995 to 1005 bytes.
PRINTED_RATIO = 0.005

_NO_AMOUNT = re.compile(r"per_(?:second|cycle)|pct|ratio|_rate|throughput|frequency", re.IGNORECASE)
_PER_SECOND, _CLOCK = "per_second", "cycles_elapsed"
_TIME = "gpu__time_duration.sum"
_CYCLES = ("sm__cycles_elapsed.avg", "sm__cycles_elapsed.max")
_CYCLES_PER_S = "sm__cycles_elapsed.avg.per_second"


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One profiled launch, or a summary of several.

    Attributes:
        source: Number of the file in the run.
        launch_id: ncu's ID, in launch order of its process; None in summaries.
        process: Operating system pid of the profiled run.
        device: The run's device number; None if the header has no device.
        part: Which chip it ran on, such as the compute capability ``"8.0"``.
        name: Kernel name as printed.
        grid: Blocks; None in headers that have no shape.
        block: Threads; None in headers that have no shape.
        dynamic_shared_bytes: Dynamic shared memory of a block, bytes, maybe rounded.
        launches: 1; more in summaries.
        values: ncu metric name to value, in base units.
    """

    source: int
    launch_id: int | None
    process: int | None
    device: int | None
    part: str | None
    name: str
    grid: Shape | None
    block: Shape | None
    dynamic_shared_bytes: int | None
    launches: int
    values: Mapping[str, float]

    @property
    def shape(self) -> tuple[Shape, Shape] | None:
        """Grid and block, None unless both are known."""
        return (self.grid, self.block) if self.grid and self.block else None


def merge(profiles: Sequence[Profile]) -> list[Profile]:
    """Make one profile of the files of each launch.

    Args:
        profiles: In any order; the result does not depend on it, but for its own order.

    Returns:
        The launches, in order of their first file.
    """
    groups: dict[object, list[Profile]] = {}
    for position, profile in enumerate(profiles):
        groups.setdefault(_key(profile, position), []).append(profile)
    positions = {id(profile): position for position, profile in enumerate(profiles)}
    launches = [launch for group in groups.values() for launch in _partition(group)]
    launches.sort(key=lambda launch: min(positions[id(profile)] for profile in launch))
    return [_combine(launch) for launch in launches]


def own_time_ns(values: Mapping[str, float]) -> float | None:
    """Duration of a launch from the counters of one file: its time, else cycles / clock, ns."""
    time_ns = values.get(_TIME)
    if time_ns:
        return time_ns
    cycles = next((values[name] for name in _CYCLES if name in values), None)
    per_s = values.get(_CYCLES_PER_S)
    return cycles / per_s * NS_PER_S if cycles and per_s else None


def without_rates(values: Mapping[str, float]) -> Mapping[str, float]:
    """Leave out values per second: without a time of their own they are no amounts."""
    return {name: value for name, value in values.items() if _PER_SECOND not in name}


def is_amount(metric: str) -> bool:
    """Whether a metric counts what a launch did, and is no rate, percentage or clock."""
    return _NO_AMOUNT.search(metric) is None


def same_shared_memory(one: int | None, other: int | None) -> bool:
    """Whether two sizes may be the same one: equal, unknown, or rounded by an auto unit."""
    if one is None or other is None:
        return True
    return abs(one - other) <= PRINTED_RATIO * max(one, other)


def _key(profile: Profile, position: int) -> object:
    """What the files of one launch have in common; a launch without ID stays alone."""
    if profile.launch_id is None and profile.launches == 1:
        return position
    forms = forms_of(profile.name)
    return (
        profile.process,
        profile.launch_id,
        profile.launches,
        profile.device,
        profile.shape,
        forms.function or forms.instance,
    )


def _partition(group: list[Profile]) -> list[list[Profile]]:
    """Split the files under one key into launches."""
    if len({profile.source for profile in group}) == 1:
        return [[profile] for profile in group]
    differ = {
        (mine, theirs)
        for mine in range(len(group))
        for theirs in range(mine)
        if _contradict(group[mine], group[theirs])
    }
    if not differ:
        return [group]
    launches = []
    for cluster in _agreeing(group, differ):
        whole = not any(mine in cluster and theirs in cluster for mine, theirs in differ)
        launches += (
            [[group[number] for number in cluster]]
            if whole
            else [[group[number]] for number in cluster]
        )
    return launches


def _contradict(one: Profile, other: Profile) -> bool:
    if one.source == other.source:
        return True
    if closeness(forms_of(one.name), forms_of(other.name)) is None:
        return True
    if not same_shared_memory(one.dynamic_shared_bytes, other.dynamic_shared_bytes):
        return True
    return any(
        abs(one.values[name] - other.values[name])
        > SAME_VALUE_RATIO * max(abs(one.values[name]), abs(other.values[name]))
        for name in _shared_amounts(one, other)
    )


def _shared_amounts(one: Profile, other: Profile) -> list[str]:
    return [name for name in one.values.keys() & other.values if is_amount(name)]


def _agreeing(group: Sequence[Profile], differ: set[tuple[int, int]]) -> list[set[int]]:
    """Gather files that share an amount and agree, directly or through others."""
    clusters: list[set[int]] = []
    for mine in range(len(group)):
        friends = {
            theirs
            for theirs in range(mine)
            if (mine, theirs) not in differ and _shared_amounts(group[mine], group[theirs])
        }
        joined = [cluster for cluster in clusters if cluster & friends]
        clusters = [cluster for cluster in clusters if not cluster & friends]
        clusters.append({mine}.union(*joined))
    return clusters


def _combine(launch: Sequence[Profile]) -> Profile:
    if len(launch) == 1:
        return launch[0]
    ordered = sorted(launch, key=_richness, reverse=True)
    return replace(
        ordered[0],
        source=min(profile.source for profile in launch),
        part=_most_detailed(profile.part for profile in launch),
        # the longest name has lost least
        name=_most_detailed(profile.name for profile in launch) or "",
        dynamic_shared_bytes=max(
            (
                profile.dynamic_shared_bytes
                for profile in launch
                if profile.dynamic_shared_bytes is not None
            ),
            key=lambda size: (_digits(size), size),
            default=None,
        ),
        values=_merge_values([profile.values for profile in ordered]),
    )


def _richness(profile: Profile) -> tuple[bool, int, list[tuple[str, float]]]:
    values = profile.values
    return own_time_ns(values) is not None, len(values), sorted(values.items())


def _most_detailed(texts: Iterable[str | None]) -> str | None:
    return max((text for text in texts if text), key=lambda text: (len(text), text), default=None)


def _merge_values(files: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    """Bring the metrics of one launch together; the first file has its own time, if any."""
    time_ns = own_time_ns(files[0])
    merged: dict[str, float] = {}
    for values in files:
        own_ns = own_time_ns(values)
        for name, value in values.items():
            if _PER_SECOND not in name:
                if name not in merged or _digits(value) > _digits(merged[name]):
                    merged[name] = value
            elif time_ns and own_ns:
                scale = 1.0 if _CLOCK in name else own_ns / time_ns
                merged.setdefault(name, value * scale)
    return merged


def _digits(value: float) -> int:
    """Count the significant digits of a value as it was printed."""
    return len(f"{value:.12g}".partition("e")[0].replace(".", "").strip("-0"))
