"""Several profiled launches of one kernel as one set of counters."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from nsys_walls.join.kernels import Joined, MatchLevel
from nsys_walls.join.profiles import Profile, is_amount, own_time_ns, without_rates
from nsys_walls.texts import Text

#: Launches whose counters lie within this of each other may be launches of one shape.
STEADY_RATIO = 0.1

#: Finds the DRAM bytes of a launch in its counters, None where they were not measured.
BytesOf = Callable[[Mapping[str, float]], float | None]


def summarise(
    group: Sequence[Profile], level: MatchLevel, reason: Text, bytes_of: BytesOf
) -> Joined:
    """Take the median of each counter over profiled launches, one at least.

    A rate per second enters only from launches that hold their own time, so that it can't
    meet the time of another launch's file. Where it is ambiguous what the launches are of,
    and they differ, a median would be a kernel that does not exist: there are no values.
    """
    parts = {profile.part for profile in group}
    return Joined(
        level=level,
        reason=reason,
        profiled_launches=sum(profile.launches for profile in group),
        spread_ratio=spread_of(group, bytes_of),
        values=_medians(group, may_differ=level != "ambiguous"),
        part=parts.pop() if len(parts) == 1 else None,
    )


def _medians(group: Sequence[Profile], *, may_differ: bool) -> Mapping[str, float] | None:
    if len(group) == 1:
        return group[0].values
    weighted: dict[str, list[tuple[float, int]]] = {}
    for profile in group:
        values = profile.values
        for name, value in (values if own_time_ns(values) else without_rates(values)).items():
            weighted.setdefault(name, []).append((value, profile.launches))
    if not may_differ and not all(
        _is_steady(found) for name, found in weighted.items() if is_amount(name)
    ):
        return None
    return {name: weighted_median(found) for name, found in weighted.items()}


def spread_of(group: Sequence[Profile], bytes_of: BytesOf) -> float | None:
    """(max - min) / median of the DRAM bytes; None for fewer than two, or around 0."""
    found = [
        (amount, profile.launches)
        for profile in group
        if (amount := bytes_of(profile.values)) is not None
    ]
    if len(found) < 2:  # noqa: PLR2004
        return None
    width = max(found)[0] - min(found)[0]
    middle = weighted_median(found)
    if not middle:
        return None if width else 0.0
    return width / middle


def _is_steady(weighted: Sequence[tuple[float, int]]) -> bool:
    width = max(weighted)[0] - min(weighted)[0]
    return width <= STEADY_RATIO * abs(weighted_median(weighted))


def weighted_median(weighted: Iterable[tuple[float, int]]) -> float:
    """Median of values that stand for several launches each.

    >>> weighted_median([(8.0, 1), (2.0, 1)]), weighted_median([(8.0, 1), (2.0, 3)])
    (5.0, 2.0)
    """
    ordered = sorted(weighted)
    total = sum(count for _, count in ordered)
    middle: list[float] = []
    seen = 0
    for value, count in ordered:
        seen += count
        while len(middle) < 2 and seen > (total - 1 + len(middle)) // 2:  # noqa: PLR2004
            middle.append(value)
    return (middle[0] + middle[1]) / 2
