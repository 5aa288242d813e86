"""Which launch each sample of GPU metrics belongs to: ASOF joins on counts, no cross join.

A sample is of the whole GPU over a time, so it says something about a kernel only where that
kernel ran alone through all of that time. The public documents of Nsight Systems do not say
which time: the one up to the timestamp or the one after it. Both are asked for, the period
before and the period behind; a launch loses one sample by that, and none that is taken can be
of another launch. A launch of three periods or more still has at least one.

Every launch, copy or graph that a device worked on counts as work that a sample may be shared
with, also what a selection leaves out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: All work of the GPUs: ``source``, ``device``, ``start_ns``, ``end_ns`` and ``point``, which is
#: NULL for copies and whatever else nobody asks about. Points are not negative.
WORK = """
SELECT source, device, start_ns, end_ns, point FROM launches
UNION ALL SELECT source, device, start_ns, end_ns, NULL FROM copies
"""

# A sample's period is the median distance of samples: a device may miss some.
_PERIODS = """
CREATE OR REPLACE TEMP TABLE sample_windows AS
WITH times AS (
  SELECT DISTINCT source, device, timestamp_ns
  FROM stored_gpu_metrics JOIN gpus USING (source, gpu)
), steps AS (
  SELECT *, timestamp_ns - lag(timestamp_ns) OVER (
    PARTITION BY source, device ORDER BY timestamp_ns
  ) AS step_ns
  FROM times
), periods AS (
  SELECT source, device, quantile_disc(step_ns, 0.5) AS period_ns FROM steps GROUP BY ALL
)
SELECT source, device, timestamp_ns, period_ns,
  timestamp_ns - period_ns AS from_ns, timestamp_ns + period_ns AS to_ns
FROM times JOIN periods USING (source, device)
"""

# What runs in a window = what has started before its end, less what has ended by its start. If
# that is one interval and it covers the window, then it is the one that reaches furthest of all
# that have started by the window's start: the others have ended.
_ATTRIBUTION = """
CREATE OR REPLACE TEMP TABLE sample_owners AS
WITH work AS ({work}),
starts AS (
  SELECT source, device, start_ns, count(*) AS intervals, max(end_ns) AS end_ns,
    arg_max(coalesce(point, -1), end_ns) AS point
  FROM work GROUP BY ALL
), started AS (
  SELECT source, device, start_ns,
    sum(intervals) OVER upto AS intervals,
    max(end_ns) OVER upto AS reach_ns,
    arg_max(point, end_ns) OVER upto AS point
  FROM starts
  WINDOW upto AS (
    PARTITION BY source, device ORDER BY start_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  )
), ends AS (
  SELECT source, device, end_ns, count(*) AS intervals FROM work GROUP BY ALL
), ended AS (
  SELECT source, device, end_ns, sum(intervals) OVER (
    PARTITION BY source, device ORDER BY end_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
  ) AS intervals
  FROM ends
), counted AS (
  SELECT t.source, t.device, t.timestamp_ns, t.period_ns,
    coalesce(s.intervals, 0) - coalesce(e.intervals, 0) AS running,
    CASE WHEN r.reach_ns >= t.to_ns AND r.point >= 0 THEN r.point END AS point
  FROM sample_windows t
  ASOF LEFT JOIN started s
    ON s.source = t.source AND s.device = t.device AND s.start_ns < t.to_ns
  ASOF LEFT JOIN ended e
    ON e.source = t.source AND e.device = t.device AND e.end_ns <= t.from_ns
  ASOF LEFT JOIN started r
    ON r.source = t.source AND r.device = t.device AND r.start_ns <= t.from_ns
)
SELECT source, device, timestamp_ns, period_ns,
  CASE WHEN period_ns IS NOT NULL THEN running END AS running,
  CASE WHEN running = 1 THEN point END AS point
FROM counted
"""

_DEVICES = """
SELECT device, max(period_ns), count(*), count(point),
  count(*) FILTER (running > 1), count(*) FILTER (running = 0)
FROM sample_owners GROUP BY device ORDER BY device
"""

_POINTS = """
SELECT point, count(*) FROM sample_owners WHERE point IS NOT NULL GROUP BY point ORDER BY point
"""

_MEANS = """
SELECT point, metric, avg(value)
FROM sample_owners
JOIN gpus USING (source, device)
JOIN stored_gpu_metrics USING (source, gpu, timestamp_ns)
WHERE point IS NOT NULL GROUP BY ALL ORDER BY ALL
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleTotals:
    """The samples during which only launches of one point ran.

    Attributes:
        point: The point.
        samples: How many.
        means: Mean value of each metric, every sample alike, in the metric's own unit; metrics
            that were not sampled are absent.
    """

    point: int
    samples: int
    means: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSamples:
    """What became of the samples of one device.

    Attributes:
        device: Number of the device.
        period_ns: Median distance of samples, ns; of several sources, the longest; None where
            there is one sample only.
        samples: Times at which metrics were sampled.
        attributed: Samples that belong to one launch.
        shared: Samples with more than one launch, copy or graph in their time.
        idle: Samples in whose time nothing ran.
    """

    device: int
    period_ns: int | None
    samples: int
    attributed: int
    shared: int
    idle: int

    @property
    def partial(self) -> int:
        """Samples in whose time one thing ran, but not all the time, or was no chosen launch."""
        return self.samples - self.attributed - self.shared - self.idle


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Samples of GPU metrics, by point and by device.

    Attributes:
        points: Points that have samples, in order.
        devices: Devices that were sampled, in order.
    """

    points: tuple[SampleTotals, ...] = ()
    devices: tuple[DeviceSamples, ...] = ()


def attribute_samples(connection: "DuckDBPyConnection", work: str = WORK) -> Sampling:
    """Find the launch that each sample belongs to.

    Args:
        connection: Has the views ``stored_gpu_metrics`` (source, timestamp_ns, gpu, metric,
            value) and ``gpus`` (source, gpu, device), and those that ``work`` names.
        work: Query of all work, see `WORK`.
    """
    try:
        connection.execute(_PERIODS)
        connection.execute(_ATTRIBUTION.format(work=work))
        names = DeviceSamples.__slots__
        devices = [
            DeviceSamples(**dict(zip(names, row, strict=True)))
            for row in connection.execute(_DEVICES).fetchall()
        ]
        counts = connection.execute(_POINTS).fetchall()
        means: dict[int, dict[str, float]] = {point: {} for point, _ in counts}
        for point, metric, mean in connection.execute(_MEANS).fetchall():
            means[point][metric] = mean
    finally:
        connection.execute("DROP TABLE IF EXISTS sample_windows")
        connection.execute("DROP TABLE IF EXISTS sample_owners")
    points = [SampleTotals(point=point, samples=n, means=means[point]) for point, n in counts]
    return Sampling(points=tuple(points), devices=tuple(devices))
