"""How kernels and copies come again: so often per NVTX range, or at a fixed distance.

A *step* is whatever comes again and again with the same number of them in it. Ranges whose names
differ only in numbers are one kind of step: ``step 1`` and ``step 2`` are ``step *``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.timeline import Timeline

#: Stands for the copies within a GPU, which have no point.
COPIES = -1

#: Operation of those copies in the store.
WITHIN_DEVICE = "device_to_device"

#: Part of the steps that are alike: the first and the last of a run often are not.
ALIKE_RATIO = 0.9

# `inside`: how often what is wanted was launched in each range, at any depth; level counts from
# the range around the launch outwards.
_INSIDE = """
CREATE OR REPLACE TEMP TABLE inside AS
WITH RECURSIVE climbing AS (
  SELECT source, range, point, count(*) AS launches, 0 AS level
  FROM ranged LEFT JOIN wanted USING (point)
  WHERE wanted.point IS NOT NULL OR ranged.point = {copies} GROUP BY ALL
  UNION ALL
  SELECT source, known.parent, point, launches, level + 1
  FROM climbing JOIN known_ranges AS known USING (source, range) WHERE known.parent IS NOT NULL
)
SELECT source, range, point, sum(launches) AS launches, max(level) AS level
FROM climbing GROUP BY source, range, point
"""

_RANGED = """
CREATE OR REPLACE TEMP VIEW ranged AS
SELECT source, range, point FROM launches WHERE range IS NOT NULL
UNION ALL
SELECT source, range, {copies} FROM copies WHERE operation = '{within}' AND range IS NOT NULL
"""

# `shared`: ranges with two kernels or more in them, at any depth. A range that holds nothing else
# says no more than the launch itself.
_SHARED = """
CREATE OR REPLACE TEMP TABLE shared AS
WITH RECURSIVE climbing AS (
  SELECT source, range, min(point) AS lowest, max(point) AS highest
  FROM ranged GROUP BY source, range
  UNION ALL
  SELECT source, known.parent, lowest, highest
  FROM climbing JOIN known_ranges AS known USING (source, range) WHERE known.parent IS NOT NULL
)
SELECT source, range FROM climbing
GROUP BY source, range HAVING min(lowest) < max(highest)
"""

# Of several kinds of ranges the fewest hold most: those are the steps of the program, not of a
# layer; of two alike the outer one. PyTorch numbers every operator, and those counters go.
_BY_RANGE = """
WITH counted AS (
  SELECT point, launches, count(*) AS steps, sum(launches) AS held, max(level) AS level,
    regexp_replace(
      regexp_replace(name, ',\\s*(op_id|seq)\\s*=\\s*\\d+', '', 'g'), '\\d+', '*', 'g'
    ) AS name
  FROM inside SEMI JOIN shared USING (source, range) JOIN known_ranges USING (source, range)
  WHERE known_ranges.name IS NOT NULL GROUP BY ALL
), named AS (
  SELECT point, name, arg_max(launches, steps) AS per_step, max(steps) AS alike,
    sum(steps) AS steps, sum(held) AS held, max(level) AS level
  FROM counted GROUP BY point, name
), totals AS (
  SELECT point, count(*) AS launches FROM launches SEMI JOIN wanted USING (point) GROUP BY point
  UNION ALL
  SELECT {copies}, count(*) FROM copies WHERE operation = '{within}'
)
SELECT point, per_step::BIGINT, steps::BIGINT, name
FROM named JOIN totals USING (point)
WHERE steps > 1 AND alike >= {alike} * steps AND held BETWEEN {alike} * launches AND launches
QUALIFY row_number() OVER (PARTITION BY point ORDER BY steps, level DESC, name) = 1
"""

_BY_DISTANCE = """
WITH ordered AS (
  SELECT source, device, process, stream, point, selected, row_number() OVER (
    PARTITION BY source, device, process, stream ORDER BY start_ns, end_ns
  ) AS place
  FROM every_launch WHERE in_scope
), distances AS (
  SELECT point, place - lag(place) OVER (
    PARTITION BY source, device, process, stream, point ORDER BY place
  ) AS distance
  FROM ordered SEMI JOIN wanted USING (point) WHERE selected
), counted AS (
  SELECT point, distance, count(*) AS launches FROM distances GROUP BY ALL
)
SELECT point, distance, sum(launches) OVER of_point, launches
FROM counted
WINDOW of_point AS (PARTITION BY point)
QUALIFY distance IS NOT NULL AND launches > 1
  AND launches >= {alike} * sum(CASE WHEN distance IS NOT NULL THEN launches END) OVER of_point
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """How a kernel comes again; one of ``range`` and ``distance`` is known.

    Attributes:
        per_step: Launches in each step.
        steps: How many steps there are.
        range: Name of the NVTX ranges that are the steps, with ``*`` for numbers.
        distance: Launches on its stream from one of it to the next.
    """

    per_step: int
    steps: int
    range: str | None = None
    distance: int | None = None


def find_recurrence(
    timeline: Timeline, run: StoredRun, points: Sequence[int]
) -> dict[int, Recurrence]:
    """Say how kernels come again, and, under `COPIES`, the copies within a GPU.

    Args:
        timeline: The launches.
        run: The run that they are of.
        points: The kernels.

    Returns:
        By point; what has no period is missing.
    """
    timeline.register("wanted", {"point": points})
    found = {
        point: Recurrence(per_step=1, steps=launches, distance=distance)
        for point, distance, launches, _ in timeline.rows(_BY_DISTANCE.format(alike=ALIKE_RATIO))
    }
    if _register_ranges(timeline, run):
        values = {"copies": COPIES, "within": WITHIN_DEVICE, "alike": ALIKE_RATIO}
        for step in (_RANGED, _INSIDE, _SHARED):
            timeline.run(step.format(**values))
        found |= {
            point: Recurrence(per_step=per_step, steps=steps, range=name)
            for point, per_step, steps, name in timeline.rows(_BY_RANGE.format(**values))
        }
        for made in ("VIEW ranged", "TABLE inside", "TABLE shared"):
            timeline.run(f"DROP {made}")
    return found


def _register_ranges(timeline: Timeline, run: StoredRun) -> bool:
    """Make the ranges known to the queries as ``known_ranges``; false where there are none."""
    parts = [
        part.append_column("source", pa.repeat(pa.scalar(source, pa.int16()), part.num_rows))
        for source, part in run.parts("ranges", ("range", "parent", "name"))
    ]
    if parts:
        timeline.connection.register("known_ranges", pa.concat_tables(parts))
    return bool(parts)
