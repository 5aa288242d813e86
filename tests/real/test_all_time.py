"""Real traces: all of the time of every GPU, and the range of every launch, against other counts.

Unions are counted here with the bounds of intervals in Python, ranges with a scan over all of
them: slow, and nothing like the way of the program.
"""

import sqlite3
from bisect import bisect_left
from collections import Counter, defaultdict
from contextlib import closing

import pytest
from real.test_from_files import WITH_KERNELS

from nsys_walls.roofline.range_forest import range_name

WORK = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET")
GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
H100X2 = "h100x2_nccl_nvtx_2026.2_3.25.0"
T4 = "t4_nvtx_textid_2025.3_3.20.2"


def opened(path):
    return closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True))


def length(intervals):
    """Length of a union of intervals."""
    total, reached = 0, None
    for start, end in sorted(intervals):
        begin = start if reached is None else max(start, reached)
        if end > begin:
            total += end - begin
        reached = end if reached is None else max(reached, end)
    return total


def work(path):
    """List intervals by (pid, ordinal) and table."""
    found = defaultdict(lambda: defaultdict(list))
    with opened(path) as trace:
        tables = {name for (name,) in trace.execute("SELECT name FROM sqlite_master")}
        for table in (*WORK, GRAPHS):
            if table in tables:
                rows = trace.execute(
                    f'SELECT globalPid >> 24 & 0xFFFFFF, deviceId, start, "end" FROM {table}'  # noqa: S608
                )
                for pid, device, start, end in rows:
                    found[pid, device][table].append((start, end))
    return found


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_busy_copies_and_idle_add_up_to_the_span(real, desk, name):
    path = real(f"nsys/{name}.sqlite")
    document = desk.report(path, options=("--hw", "a100"))
    wanted = []
    for tables in work(path).values():
        every = [interval for rows in tables.values() for interval in rows]
        busy = length(tables[WORK[0]] + tables[GRAPHS])
        span = max(end for _, end in every) - min(start for start, _ in every)
        wanted.append((span, busy, length(every) - busy))
    found = [
        (row["totals"]["span_ns"], row["totals"]["busy_ns"], row["totals"]["copy_ns"])
        for row in document["devices"]
    ]
    # in none of these files do two processes share a GPU
    assert sorted(found) == sorted(wanted)
    for row in document["devices"]:
        own = row["totals"]
        assert own["other_ns"] == 0
        assert own["busy_ns"] + own["copy_ns"] + own["idle_ns"] == own["span_ns"]
    gaps_ns = sum(row["time_ns"] for row in document["idle"]["by_cause"])
    assert gaps_ns == document["totals"]["idle_ns"]


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_no_share_is_above_all(real, desk, name):
    document = desk.report(real(f"nsys/{name}.sqlite"), options=("--hw", "a100"))
    shares = [
        row["time_ratio"]
        for table in ("kernels", "classes", "ranges", "range_tree", "findings")
        for row in document[table]
    ]
    assert all(0 <= share <= 1 for share in shares)
    for row in document["copies"]:
        assert row["hidden_ns"] is None or row["hidden_ns"] <= row["time_ns"]


def test_two_gpus_and_two_processes_are_kept_apart(real, desk):
    path = real(f"nsys/{H100X2}.sqlite")
    document = desk.report(path, options=("--hw", "h100"))
    by_pid = work(path)
    assert len(by_pid) == 2
    launches = {device["device"]: device["totals"]["launches"] for device in document["devices"]}
    assert launches == {device: len(rows[WORK[0]]) for (_, device), rows in by_pid.items()}
    assert len(document["ranks"]) == 2
    with opened(path) as trace:
        ((collectives, time_ns),) = trace.execute(
            'SELECT count(*), sum(k."end" - k.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k '
            "JOIN StringIds s ON s.id = k.shortName WHERE s.value LIKE 'nccl%'"
        )
    communication = [row for row in document["kernels"] if row["wall"] == "communication"]
    assert sum(row["launches"] for row in communication) == collectives
    assert sum(row["time_ns"] for row in communication) == time_ns
    assert document["totals"]["communication_ns"] == time_ns
    assert all(row["class"].startswith("comm_") for row in communication)


def innermost_ranges(path):
    """Count launches by the name of their innermost range, None outside; and without a call."""
    with opened(path) as trace:
        calls = {}
        for correlation, thread, start in trace.execute(
            "SELECT correlationId, globalTid, start FROM CUPTI_ACTIVITY_KIND_RUNTIME "
            "ORDER BY start DESC"
        ):
            calls[thread >> 24, correlation] = thread, start
        ranges = defaultdict(list)
        for thread, start, end, name in trace.execute(
            'SELECT n.globalTid, n.start, n."end", coalesce(n.text, s.value) FROM NVTX_EVENTS n '
            'LEFT JOIN StringIds s ON s.id = n.textId WHERE n."end" IS NOT NULL '
            "AND n.eventType IN (59, 60)"
        ):
            ranges[thread].append((start, end, name))
        launches = list(
            trace.execute("SELECT globalPid >> 24, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL")
        )
    for rows in ranges.values():
        rows.sort()
    found, without = Counter(), 0
    for key in launches:
        if key not in calls:
            without += 1
            found[None] += 1
            continue
        thread, start = calls[key]
        rows = ranges[thread]
        before = bisect_left(rows, (start + 1,))
        around = next((row for row in reversed(rows[:before]) if row[1] >= start), None)
        found[range_name(around[2]) if around else None] += 1
    return found, without


@pytest.mark.parametrize("name", [H100X2, T4, "h200_nvfuser_2024.6_3.16.1"])
def test_every_launch_with_a_call_is_in_its_range(real, desk, name):
    path = real(f"nsys/{name}.sqlite")
    document = desk.report(path, options=("--hw", "h100"))
    wanted, without = innermost_ranges(path)
    stored = {row["range"]: row["name"] for row in desk.stored("ranges")}
    found = Counter(
        None if row["range"] is None else range_name(stored[row["range"]])
        for row in desk.stored("launches")
    )
    assert found == wanted
    said = [row for row in document["warnings"] if row["code"] == "launches-without-call"]
    assert bool(said) == bool(without)
    if without:
        assert said[0]["message"].startswith(f"{without:,} of ")
    outside = [row["launches"] for row in document["ranges"] if row["name"] == "(outside)"]
    assert sum(outside) == wanted[None]


def test_no_range_is_without_a_name(real, desk):
    document = desk.report(real(f"nsys/{T4}.sqlite"))
    assert document["range_nodes"] > 200
    assert all(row["name"] for row in (*document["ranges"], *document["range_tree"]))
    assert all(row["name"] for row in desk.stored("ranges"))


def test_a_part_of_a_real_trace_can_be_chosen_by_its_range(real, desk):
    desk.ingest(real(f"nsys/{T4}.sqlite"))
    wanted, _ = innermost_ranges(real(f"nsys/{T4}.sqlite"))
    part = desk.document("--nvtx", "Compute [0-9]*")
    inside = sum(row["launches"] for row in part["ranges"] if row["name"] in wanted)
    assert part["totals"]["launches"] <= inside
    names = {row["name"] for row in part["range_tree"] if row["depth"] == 2}
    assert names
    assert all(name.startswith("Compute ") for name in names)
