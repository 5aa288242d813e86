"""The SQL over the launches of a run; `nsys_walls.store.timeline` runs it.

Views: ``launches``, ``copies`` (sets too) and ``graphs`` hold what a selection leaves, with
``source``, ``device``, ``process``, ``stream``, ``start_ns``, ``duration_ns``, ``end_ns``,
``correlation`` and ``range``; launches also ``point`` and ``graph_node``. Before their names,
``every_`` means what the run holds: with ``in_scope`` (by device and window) and ``selected``.
"""

# The two conditions are those of `nsys_walls.store.selection.Selected`.
LAUNCHES_VIEW = """
CREATE VIEW every_launch AS
SELECT stored.*, {in_scope} AS in_scope, ({in_scope}) AND ({selected}) AS selected
FROM (
  SELECT l.*, l.start_ns + l.duration_ns AS end_ns, p.point, p.device, p.process
  FROM stored_launches l JOIN points p USING (source, kernel)
  WHERE p.point IS NOT NULL
) AS stored
"""

OTHER_WORK_VIEW = """
CREATE VIEW every_{name} AS
SELECT stored.*, {in_scope} AS in_scope, ({in_scope}) AND ({selected}) AS selected
FROM (
  SELECT t.*, t.start_ns + t.duration_ns AS end_ns, g.device
  FROM stored_{table} t JOIN gpus g USING (source, gpu)
) AS stored
"""

SELECTED_VIEWS = """
CREATE VIEW launches AS SELECT * FROM every_launch WHERE selected;
CREATE VIEW copies AS SELECT * FROM every_copy WHERE selected;
CREATE VIEW graphs AS SELECT * FROM every_graph WHERE selected;
"""

# Everything on the GPUs, whatever is selected of it: for the time that a window is a share of.
EXTENTS = """
SELECT source, min(start_ns), max(start_ns + duration_ns) FROM (
  SELECT source, start_ns, duration_ns FROM stored_launches
  UNION ALL SELECT source, start_ns, duration_ns FROM stored_copies
  UNION ALL SELECT source, start_ns, duration_ns FROM stored_graphs
) GROUP BY source ORDER BY source
"""

STREAMS = """
SELECT device, stream, count(*) FROM (
  SELECT device, stream FROM every_launch
  UNION ALL SELECT device, stream FROM every_graph
) GROUP BY ALL ORDER BY ALL
"""

LAUNCH_TIMES = """
SELECT point, count(*), sum(duration_ns)::BIGINT, median(duration_ns), avg(duration_ns),
  min(duration_ns), max(duration_ns), quantile_cont(duration_ns, 0.95),
  arg_min(duration_ns, start_ns)
FROM {launches} GROUP BY point
"""

DURATIONS = """
SELECT point, list(duration_ns ORDER BY source, start_ns, end_ns),
  list(selected ORDER BY source, start_ns, end_ns)
FROM every_launch SEMI JOIN wanted USING (point) GROUP BY point
"""

RECOVERABLE = """
SELECT point, sum(greatest(0.0, duration_ns - floor_ns))
FROM launches JOIN floors USING (point) GROUP BY point
"""

# What an interval adds to a union is its part behind everything that started before it. Every
# source has a clock of its own: unions and spans are made in each, then summed. A span goes from
# the first to the last work that is selected; other work of the device counts inside it, since
# the device was not idle then.
ACCOUNT = """
WITH everything AS (
  SELECT source, device, {first} start_ns, end_ns,
    CASE WHEN selected THEN 'kernel' ELSE 'other' END AS kind
  FROM every_launch WHERE in_scope
  UNION ALL
  SELECT source, device, {first} start_ns, end_ns,
    CASE WHEN selected THEN 'graph' ELSE 'other' END
  FROM every_graph WHERE in_scope
  UNION ALL
  SELECT source, device, {first} start_ns, end_ns,
    CASE WHEN selected THEN 'copy' ELSE 'other' END
  FROM every_copy WHERE in_scope
), spans AS (
  SELECT source, device, {parts} min(start_ns) AS from_ns, max(end_ns) AS to_ns
  FROM everything WHERE kind <> 'other' GROUP BY ALL
), clipped AS (
  SELECT source, device, {parts} kind,
    greatest(start_ns, from_ns) AS start_ns, least(end_ns, to_ns) AS end_ns
  FROM everything JOIN spans USING ({keys})
  WHERE end_ns >= from_ns AND start_ns <= to_ns
), reached AS (
  SELECT *,
    max(end_ns) OVER before AS any_ns,
    max(CASE WHEN kind <> 'other' THEN end_ns END) OVER before AS work_ns,
    max(CASE WHEN kind IN ('kernel', 'graph') THEN end_ns END) OVER before AS busy_ns
  FROM clipped
  WINDOW before AS (
    PARTITION BY {keys} ORDER BY start_ns, end_ns
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  )
), added AS (
  SELECT *,
    greatest(0, end_ns - greatest(start_ns, coalesce(any_ns, start_ns))) AS any_added,
    CASE WHEN kind = 'other' THEN 0
      ELSE greatest(0, end_ns - greatest(start_ns, coalesce(work_ns, start_ns)))
    END AS work_added,
    CASE WHEN kind NOT IN ('kernel', 'graph') THEN 0
      ELSE greatest(0, end_ns - greatest(start_ns, coalesce(busy_ns, start_ns)))
    END AS busy_added
  FROM reached
)
SELECT {keys},
  count(*) FILTER (kind = 'kernel'),
  max(end_ns) - min(start_ns),
  coalesce(sum(end_ns - start_ns) FILTER (kind = 'kernel'), 0)::BIGINT,
  sum(busy_added)::BIGINT,
  (sum(work_added) - sum(busy_added))::BIGINT,
  (sum(any_added) - sum(work_added))::BIGINT,
  coalesce(sum(end_ns - start_ns) FILTER (kind = 'graph'), 0)::BIGINT
FROM added GROUP BY {keys} ORDER BY {keys}
"""

WALL_TIME = """
SELECT max(wall_ns) FROM (
  SELECT max(end_ns) - min(start_ns) AS wall_ns FROM (
    SELECT source, start_ns, end_ns FROM launches
    UNION ALL SELECT source, start_ns, end_ns FROM graphs
    UNION ALL SELECT source, start_ns, end_ns FROM copies
  ) GROUP BY source
)
"""

# Nodes of CUDA graphs are left out: they may overlap and all carry the stream of their graph.
IMPOSSIBLE_LAUNCHES = """
WITH following AS (
  SELECT point, duration_ns, end_ns, selected, lead(start_ns) OVER (
    PARTITION BY source, device, process, stream ORDER BY start_ns, end_ns
  ) AS next_ns
  FROM every_launch WHERE in_scope AND stream IS NOT NULL AND coalesce(graph_node, 0) = 0
)
SELECT point, count(*), sum(duration_ns)::BIGINT FROM following
WHERE selected AND end_ns - next_ns > greatest(?, duration_ns / 2)
GROUP BY point ORDER BY sum(duration_ns) DESC, point
"""

RANGE_TIMES = """
SELECT source, range, also_range, point, count(*), sum(duration_ns)::BIGINT
FROM launches GROUP BY ALL ORDER BY ALL
"""
