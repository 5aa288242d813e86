"""The SQL over the launches of a run; `nsys_walls.store.timeline` runs it.

Views: ``launches`` (with ``end_ns``, ``point``, ``device``, ``process``), ``stored_copies``
and ``stored_graphs`` as in the store, ``gpus`` (source, gpu, device).
"""

LAUNCHES_VIEW = """
CREATE VIEW launches AS
SELECT l.*, l.start_ns + l.duration_ns AS end_ns, p.point, p.device, p.process
FROM stored_launches l JOIN points p USING (source, kernel)
WHERE p.point IS NOT NULL
"""

LAUNCH_TIMES = """
SELECT point, count(*), sum(duration_ns)::BIGINT, median(duration_ns), avg(duration_ns),
  min(duration_ns), max(duration_ns), quantile_cont(duration_ns, 0.95),
  arg_min(duration_ns, start_ns)
FROM launches GROUP BY point
"""

DURATIONS = """
SELECT point, list(duration_ns ORDER BY source, start_ns, end_ns)
FROM launches SEMI JOIN wanted USING (point) GROUP BY point
"""

RECOVERABLE = """
SELECT point, sum(greatest(0.0, duration_ns - floor_ns))
FROM launches JOIN floors USING (point) GROUP BY point
"""

# What an interval adds to a union is its part behind everything that started before it. Every
# source has a clock of its own: unions and spans are made in each, then summed.
DEVICE_TIMES = """
WITH everything AS (
  SELECT source, device, start_ns, end_ns, 'kernel' AS kind FROM launches
  UNION ALL
  SELECT source, device, start_ns, start_ns + duration_ns, 'graph'
  FROM stored_graphs JOIN gpus USING (source, gpu)
  UNION ALL
  SELECT source, device, start_ns, start_ns + duration_ns, 'copy'
  FROM stored_copies JOIN gpus USING (source, gpu)
), reached AS (
  SELECT *,
    max(end_ns) OVER before AS any_ns,
    max(CASE WHEN kind <> 'copy' THEN end_ns END) OVER before AS busy_ns
  FROM everything
  WINDOW before AS (
    PARTITION BY source, device ORDER BY start_ns, end_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
), added AS (
  SELECT *,
    greatest(0, end_ns - greatest(start_ns, coalesce(any_ns, start_ns))) AS any_added,
    CASE WHEN kind = 'copy' THEN 0
      ELSE greatest(0, end_ns - greatest(start_ns, coalesce(busy_ns, start_ns)))
    END AS busy_added
  FROM reached
), by_source AS (
  SELECT source, device,
    count(*) FILTER (kind = 'kernel') AS launches,
    max(end_ns) - min(start_ns) AS span_ns,
    sum(end_ns - start_ns) FILTER (kind = 'kernel') AS kernel_ns,
    sum(busy_added) AS busy_ns,
    sum(any_added) - sum(busy_added) AS copy_ns,
    sum(end_ns - start_ns) FILTER (kind = 'graph') AS graph_hidden_ns
  FROM added GROUP BY source, device
)
SELECT device,
  sum(launches)::BIGINT,
  sum(span_ns)::BIGINT,
  coalesce(sum(kernel_ns), 0)::BIGINT,
  sum(busy_ns)::BIGINT,
  sum(copy_ns)::BIGINT,
  coalesce(sum(graph_hidden_ns), 0)::BIGINT
FROM by_source GROUP BY device ORDER BY device
"""

WALL_TIME = """
SELECT max(wall_ns) FROM (
  SELECT max(end_ns) - min(start_ns) AS wall_ns FROM (
    SELECT source, start_ns, end_ns FROM launches
    UNION ALL SELECT source, start_ns, start_ns + duration_ns FROM stored_graphs
    UNION ALL SELECT source, start_ns, start_ns + duration_ns FROM stored_copies
  ) GROUP BY source
)
"""

# Nodes of CUDA graphs are left out: they may overlap and all carry the stream of their graph.
IMPOSSIBLE_LAUNCHES = """
WITH following AS (
  SELECT point, duration_ns, end_ns, lead(start_ns) OVER (
    PARTITION BY source, device, process, stream ORDER BY start_ns, end_ns
  ) AS next_ns
  FROM launches WHERE coalesce(graph_node, 0) = 0
)
SELECT point, count(*), sum(duration_ns)::BIGINT FROM following
WHERE end_ns - next_ns > greatest(?, duration_ns / 2)
GROUP BY point ORDER BY sum(duration_ns) DESC, point
"""

RANGE_TIMES = """
SELECT source, range, point, count(*), sum(duration_ns)::BIGINT
FROM launches GROUP BY ALL ORDER BY ALL
"""
