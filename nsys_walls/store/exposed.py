"""Communication that other kernels hide, and that which nothing hides."""

from dataclasses import dataclass

from nsys_walls.store.timeline import Timeline

# What an interval adds to a union is its part behind everything of its kind that started before
# it. Exposed is what communication adds to the union of everything else: kernels that are not
# selected and whole graphs hide it too. Copies do not: they wait for the link, or use it.
_EXPOSED = """
WITH work AS (
  SELECT source, device, start_ns, end_ns,
    selected AND point IN (SELECT point FROM families) AS communicates
  FROM every_launch WHERE in_scope
  UNION ALL
  SELECT source, device, start_ns, end_ns, false FROM every_graph WHERE in_scope
), beside AS (
  SELECT * FROM work SEMI JOIN (SELECT DISTINCT source, device FROM work WHERE communicates)
  USING (source, device)
), reached AS (
  SELECT *,
    max(end_ns) OVER before AS any_ns,
    max(CASE WHEN communicates THEN NULL ELSE end_ns END) OVER before AS other_ns,
    max(CASE WHEN communicates THEN end_ns END) OVER before AS communication_ns
  FROM beside
  WINDOW before AS (
    PARTITION BY source, device ORDER BY start_ns, end_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
), added AS (
  SELECT device, communicates,
    greatest(0, end_ns - greatest(start_ns, coalesce(any_ns, start_ns))) AS any_added,
    greatest(0, end_ns - greatest(start_ns, coalesce(other_ns, start_ns))) AS other_added,
    greatest(0, end_ns - greatest(start_ns, coalesce(communication_ns, start_ns)))
      AS communication_added
  FROM reached
)
SELECT device,
  sum(communication_added) FILTER (communicates)::BIGINT,
  (sum(any_added) - coalesce(sum(other_added) FILTER (NOT communicates), 0))::BIGINT
FROM added GROUP BY device ORDER BY device
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExposedCommunication:
    """Communication of one device.

    Attributes:
        device: Number of the device.
        time_ns: Union of its collectives, ns: those that ran at once count once.
        exposed_ns: Part of it in which no other kernel ran on the device, ns.
    """

    device: int
    time_ns: int
    exposed_ns: int


def exposed_communication(timeline: Timeline) -> tuple[ExposedCommunication, ...]:
    """Tell exposed from hidden communication, by device; after `find_collectives`."""
    names = ExposedCommunication.__slots__
    return tuple(
        ExposedCommunication(**dict(zip(names, row, strict=True)))
        for row in timeline.rows(_EXPOSED)
    )
