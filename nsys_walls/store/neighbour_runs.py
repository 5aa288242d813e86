"""Runs of neighbours: kernels in a row with nothing between them, that come again.

All of this is about the view ``links`` of `nsys_walls.store.neighbours`, which has to be there.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Self

from nsys_walls.store.timeline import Timeline

#: Most kernels in a run: more are seldom fused into one.
LONGEST_RUN = 8

# Links on both sides of one among which it has to pass least for a long run to be cut there.
_REACH = LONGEST_RUN - 1

# A run of more than `LONGEST_RUN` kernels is cut where its first kernel comes again. What is
# still longer is cut at the links that pass least among those near them (of equal ones, those that
# came up last), so that a sequence is cut alike wherever it stands, on every device; then after
# every `LONGEST_RUN` kernels. The number of a run is the same for links in a row, and of no others.
_RUNS = """
WITH strengths AS (
  SELECT twin, next_twin, row_number() OVER (
    ORDER BY min(passed_bytes), min(start_ns) DESC, twin, next_twin
  ) AS strength
  FROM links GROUP BY twin, next_twin
), free AS (
  SELECT {link}, place - row_number() OVER (PARTITION BY lane ORDER BY place) AS run
  FROM links WHERE blocker IS NULL
), whole AS (
  SELECT *, count(*) OVER (PARTITION BY lane, run) AS links,
    first_value(point) OVER (PARTITION BY lane, run ORDER BY place) AS first
  FROM free
), repeats AS (
  SELECT {link}, place - row_number() OVER (PARTITION BY lane ORDER BY place) AS run
  FROM whole WHERE links >= {longest} AND next_point <> first
), repeated AS (
  SELECT *, count(*) OVER (PARTITION BY lane, run) AS links FROM repeats
), weighed AS (
  SELECT {link}, strength, min(strength) OVER (
      PARTITION BY lane, run ORDER BY place
      ROWS BETWEEN {reach} PRECEDING AND {reach} FOLLOWING
    ) AS weakest
  FROM repeated JOIN strengths USING (twin, next_twin) WHERE links >= {longest}
), parts AS (
  SELECT {link}, run, 0 AS stage FROM whole WHERE links < {longest}
  UNION ALL
  SELECT {link}, run, 1 FROM repeated WHERE links < {longest}
  UNION ALL
  SELECT {link}, place - row_number() OVER (PARTITION BY lane ORDER BY place), 2
  FROM weighed WHERE strength > weakest
), counted AS (
  SELECT *, row_number() OVER (PARTITION BY lane, stage, run ORDER BY place) - 1 AS step
  FROM parts
), runs AS (
  SELECT arg_min(point, step) AS first, {points},
    sum(time_ns) + arg_max(next_time_ns, step) AS time_ns
  FROM counted WHERE step % {longest} <> {longest} - 1
  GROUP BY lane, stage, run, step // {longest}
), grouped AS (
  SELECT row_number() OVER () AS number, [first, {names}] AS points, count(*) AS occurrences,
    sum(time_ns)::BIGINT AS time_ns
  FROM runs GROUP BY first, {names}
), twinned AS (
  SELECT number, list(twin ORDER BY place) AS twins FROM (
    SELECT number, unnest(points) AS point, generate_subscripts(points, 1) AS place FROM grouped
  ) JOIN members USING (point) GROUP BY number
)
SELECT points, twins, occurrences, time_ns FROM grouped JOIN twinned USING (number)
QUALIFY sum(time_ns) OVER (PARTITION BY twins) >= ?
ORDER BY time_ns DESC, points
"""
_LINK = "lane, place, point, next_point, twin, next_twin, time_ns, next_time_ns"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurringRun:
    """Kernels that follow each other, with nothing between them.

    Attributes:
        points: The kernels, in order; two at least, `LONGEST_RUN` at most.
        twins: The same kernels, as they are called on all devices (see `Member`).
        occurrences: How often.
        time_ns: Time of all their launches, ns.
    """

    points: tuple[int, ...]
    twins: tuple[int, ...]
    occurrences: int
    time_ns: int

    def __add__(self, other: Self) -> Self:
        """Add the occurrences of the same kernels elsewhere."""
        return replace(
            self,
            occurrences=self.occurrences + other.occurrences,
            time_ns=self.time_ns + other.time_ns,
        )


def recurring_runs(timeline: Timeline, least_ns: int) -> tuple[RecurringRun, ...]:
    """List runs that occur at least twice over all devices, the longest time first.

    Args:
        timeline: The launches.
        least_ns: Time of a run, over all its occurrences on all devices, from which on it is
            listed, ns.
    """
    steps = range(LONGEST_RUN - 1)
    points = ", ".join(
        f"any_value(next_point) FILTER (step % {LONGEST_RUN} = {step}) AS p{step}" for step in steps
    )
    query = _RUNS.format(
        link=_LINK,
        points=points,
        names=", ".join(f"p{step}" for step in steps),
        reach=_REACH,
        longest=LONGEST_RUN,
    )
    found: dict[tuple[int, ...], RecurringRun] = {}
    for padded, twins, occurrences, time_ns in timeline.rows(query, least_ns):
        run = _once(
            RecurringRun(
                points=tuple(point for point in padded if point is not None),
                twins=tuple(twins),
                occurrences=occurrences,
                time_ns=time_ns,
            )
        )
        known = found.get(run.points)
        found[run.points] = run if known is None else known + run
    everywhere: Counter[tuple[int, ...]] = Counter()
    for run in found.values():
        everywhere[run.twins] += run.occurrences
    return tuple(
        sorted(
            (run for run in found.values() if everywhere[run.twins] > 1),
            key=lambda run: (-run.time_ns, run.points),
        )
    )


def _once(run: RecurringRun) -> RecurringRun:
    """Take a run that repeats itself as its period, several times; what is left over goes."""
    points = run.points
    for period in range(2, len(points) // 2 + 1):
        if all(point == points[place % period] for place, point in enumerate(points)):
            times = len(points) // period
            return RecurringRun(
                points=points[:period],
                twins=run.twins[:period],
                occurrences=run.occurrences * times,
                time_ns=run.time_ns * period * times // len(points),
            )
    return run
