"""Exports that others made, compared with plain queries."""

import sqlite3
from bisect import bisect_right
from collections import Counter, defaultdict
from contextlib import closing

import pytest
from support.nsys_traces import launches, read_trace

from nsys_walls.errors import InputError

WITH_KERNELS = [
    "rtx6000_nometa_2021.2",
    "a100_nonlazy_2022.2_2.9.1",
    "a100x4_reversed_ids_2024.5_3.13.2",
    "h200_nvfuser_2024.6_3.16.1",
    "t4_nvtx_textid_2025.3_3.20.2",
    "rtx3090x2_coop_2025.5_3.23.3",
    "rtx4060ti_2026.1_3.24.14",
    "h100x2_nccl_nvtx_2026.2_3.25.0",
]
WITH_RANGES = [
    "a100_nonlazy_2022.2_2.9.1",
    "h200_nvfuser_2024.6_3.16.1",
    "t4_nvtx_textid_2025.3_3.20.2",
    "h100x2_nccl_nvtx_2026.2_3.25.0",
]


@pytest.fixture
def export(real):
    return lambda name: real(f"nsys/{name}.sqlite")


def query(path, sql):
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_launches_by_kernel_equal_a_plain_query(export, name):
    path = export(name)
    expected = query(
        path,
        """SELECT s.value, k.deviceId, k.globalPid >> 24 & 16777215, k.streamId, k.gridX, k.gridY,
            k.gridZ, k.blockX, k.blockY, k.blockZ, k.dynamicSharedMemory, k.registersPerThread,
            count(*), sum(k.end - k.start), min(k.start)
        FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName
        GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12""",
    )
    sink, info = read_trace(path)
    found = defaultdict(lambda: [0, 0, None])
    for row in launches(sink):
        shape = [f"{what}_{axis}" for what in ("grid", "block") for axis in "xyz"]
        rest = [*shape, "dynamic_shared_bytes", "registers"]
        key = (row["name"]["full"], row["device"]["ordinal"], row["process"], row["stream"])
        total = found[(*key, *(row[name] for name in rest))]
        first = total[2] if total[2] is not None else row["start_ns"]
        total[:] = [total[0] + 1, total[1] + row["duration_ns"], min(first, row["start_ns"])]
    assert sorted((*key, *total) for key, total in found.items()) == sorted(expected)
    assert info.rows == sum(row[-3] for row in expected)


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_copies_equal_a_plain_query(export, name):
    path = export(name)
    tables = {name for (name,) in query(path, "SELECT name FROM sqlite_master")}
    expected = Counter()
    for table in {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"} & tables:
        sums = query(path, f"SELECT count(*), total(bytes), total(end - start) FROM {table}")[0]  # noqa: S608
        expected += Counter(dict(zip(("rows", "bytes", "ns"), sums, strict=True)))
    rows = read_trace(path)[0].rows("copies")
    found = {
        "rows": len(rows),
        "bytes": sum(row["bytes"] for row in rows),
        "ns": sum(row["duration_ns"] for row in rows),
    }
    assert found == expected


def innermost_by_hand(path):
    """Find the name of the range of each launch, one at a time, from the rows of the trace."""
    calls, by_thread = {}, defaultdict(list)
    for start, thread, correlation in query(
        path, "SELECT start, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME"
    ):
        key = (thread >> 24, correlation)
        calls[key] = min(calls.get(key, (start, thread)), (start, thread))
    for thread, *one in query(
        path,
        """SELECT n.globalTid, n.start, -n.end, n.rowid, coalesce(n.text, s.value)
        FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId
        WHERE n.eventType IN (59, 60) AND n.end IS NOT NULL""",
    ):
        by_thread[thread].append(one)
    for ranges in by_thread.values():
        ranges.sort()
    for process, correlation in query(
        path,
        "SELECT globalPid >> 24, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY rowid",
    ):
        start, thread = calls.get((process, correlation), (None, None))
        ranges = by_thread[thread]
        last = bisect_right(ranges, [start, float("inf")]) if start is not None else 0
        yield next((row[3] for row in reversed(ranges[:last]) if -row[1] >= start), None)


@pytest.mark.parametrize("name", WITH_RANGES)
def test_ranges_of_launches_equal_a_search_row_by_row(export, name):
    path = export(name)
    rows = launches(read_trace(path)[0])
    assert [row["range"] for row in rows] == list(innermost_by_hand(path))


def test_counts_that_are_known(export):
    """24 launches began before the capture; 17 of 19 lie outside of all ranges."""
    info = read_trace(export("h100x2_nccl_nvtx_2026.2_3.25.0"))[1]
    assert "24 of 4,010 launches" in info.warnings[0].message
    sink, _ = read_trace(export("h200_nvfuser_2024.6_3.16.1"))
    assert Counter(row["range"] is None for row in launches(sink)) == {True: 17, False: 2}
    # two API rows a call: a plain join would give twice this time
    rows = launches(read_trace(export("a100_nonlazy_2022.2_2.9.1"))[0])
    assert sum(row["duration_ns"] for row in rows if row["range"]) == 88_573_480


def test_a_gpu_whose_table_ids_run_against_the_ordinals(export):
    path = export("rtx3090x2_coop_2025.5_3.23.3")
    (bus,) = (bus for (bus,) in query(path, "SELECT busLocation FROM TARGET_INFO_GPU WHERE id = 1"))
    assert bus == "0000:01:00.0"  # ordinal 0 of the process is id 1
    (device,) = read_trace(path)[0].rows("devices")
    assert (device["ordinal"], device["name"]) == (0, "NVIDIA GeForce RTX 3090")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("nogpu_nocuda_2023.4_3.7.2", "no CUDA calls and no GPU"),
        ("nokernels_a100_2026.1_3.24.14", "CUDA profiling might have not been started correctly"),
        ("nokernels_drivertoonew_2025.1_3.17.2", "driver version (13.3) is not supported"),
    ],
)
def test_traces_without_kernels_say_why(export, name, reason):
    with pytest.raises(InputError) as caught:
        read_trace(export(name))
    assert caught.value.slug == "no-kernels"
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
