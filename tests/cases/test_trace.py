"""Nsight Systems exports: processes, GPUs, ranges, damage, versions, and the files themselves."""

import hashlib
import sqlite3
from contextlib import closing

import pytest
from support.nsys_traces import (
    A100,
    MICROSECOND,
    SCHEMAS,
    call,
    copy,
    execute,
    global_pid,
    global_tid,
    kernel,
    nvtx,
)
from support.pipeline import (
    Desk,
    after,
    by_name,
    only,
    profiled,
    ranges,
    series,
    shape,
    warned,
    with_calls,
)

# Ranges ---------------------------------------------------------------------------------


def step_trace(desk, *, nvtx_rows, **options):
    """Trace four launches of 250 us, called at 1.02, 1.52, 2.02 and 2.52 ms."""
    rows = series("step(float *)", [250_000] * 4, start=1_060_000, gap_ns=250_000)
    return desk.trace(**with_calls(rows, lead_ns=40_000), nvtx=nvtx_rows, **options)


MIXED_TEXTS = [
    nvtx(1_000_000, 1_400_000, registered="embed"),
    nvtx(1_500_000, 1_900_000, "layer"),
    nvtx(2_000_000, 2_400_000, registered="layer"),
    nvtx(2_500_000, 2_900_000, "head"),
]


def test_the_text_of_a_range_lives_in_two_places(desk):
    document = desk.report(step_trace(desk, nvtx_rows=MIXED_TEXTS))
    assert ranges(document) == {"embed": 250_000, "layer": 500_000, "head": 250_000}
    (layer,) = [row for row in document["ranges"] if row["name"] == "layer"]
    assert layer["launches"] == 2


def test_an_export_without_registered_texts_has_its_plain_ones(desk):
    plain = [row | {"text": row["text"] or row["textId"], "textId": None} for row in MIXED_TEXTS]
    path = step_trace(desk, nvtx_rows=plain)
    execute(path, "ALTER TABLE NVTX_EVENTS DROP COLUMN textId")
    assert ranges(desk.report(path)) == {"embed": 250_000, "layer": 500_000, "head": 250_000}


def test_events_without_an_end_are_no_ranges(desk):
    document = desk.report(
        step_trace(
            desk,
            nvtx_rows=[
                nvtx(400_000, None, "a domain", kind=75),
                nvtx(900_000, None, "training"),
                nvtx(1_000_000, 3_000_000, "epoch"),
                nvtx(1_700_000, None, "saved", kind=34),
            ],
        )
    )
    found = ranges(document)
    assert found["epoch"] == 1_000_000
    # what was still open at the end may be left out or closed there; marks are never ranges
    assert set(found) <= {"epoch", "training"}
    assert found.get("training", 1_000_000) == 1_000_000
    assert document["totals"]["launches"] == 4


def test_kernels_belong_to_the_range_of_their_call_not_of_their_time(desk):
    # all eight calls are made within 0.2 ms; the device needs 2 ms for them
    kernels, calls = [], []
    for number in range(8):
        name, each_ns = ("proj(float *)", 350_000) if number < 4 else ("norm(float *)", 150_000)
        start = after(kernels, 0) if kernels else 1_100_000
        kernels.append(kernel(start, start + each_ns, name, correlationId=number))
        calls.append(call(1_000_000 + 20_000 * number, number))
    path = desk.trace(
        kernels=kernels,
        calls=calls,
        nvtx=[nvtx(995_000, 1_075_000, "block_0"), nvtx(1_078_000, 1_160_000, "block_1")],
    )
    document = desk.report(path)
    # 4 x 350 us and 4 x 150 us; by device time both would hold part of one launch at most
    assert ranges(document) == {"block_0": 1_400_000, "block_1": 600_000}
    assert document["totals"]["kernel_ns"] == 2_000_000


def test_all_kernels_of_a_graph_launch_belong_to_its_range(desk):
    # two replays of three nodes: the nodes of a replay share the call's correlation id
    kernels, calls, spans = [], [], []
    for replay in range(2):
        start = 2_000_000 + 1_000_000 * replay
        calls.append(call(start - 50_000, 500 + replay, name="cudaGraphLaunch_v10000"))
        spans.append(nvtx(start - 60_000, start - 40_000, "generate"))
        for node, (name, each_ns) in enumerate(
            [("qkv(float *)", 70_000), ("attend(float *)", 50_000), ("ffn(float *)", 90_000)]
        ):
            kernels.append(
                kernel(start, start + each_ns, name, correlationId=500 + replay, graphNodeId=node)
            )
            start += each_ns + 2 * MICROSECOND
    document = desk.report(desk.trace(kernels=kernels, calls=calls, nvtx=spans))
    assert document["totals"]["launches"] == 6
    # 2 x (70 + 50 + 90) us
    assert document["totals"]["kernel_ns"] == 420_000
    assert ranges(document) == {"generate": 420_000}
    found = {name: row["time_ns"] for name, row in by_name(document).items()}
    assert found == {"qkv": 140_000, "attend": 100_000, "ffn": 180_000}


# Devices and processes ------------------------------------------------------------------


def test_every_gpu_counts_although_their_stream_numbers_repeat(desk):
    second = A100 | {"id": 1, "cuda_ordinal": 1, "bus": "0000:81:00.0",
                     "uuid": "a1000000-0000-4000-8000-000000000002"}  # fmt: skip
    same = series("tp_linear(float *)", [120_000] * 6, gap_ns=30_000)
    other = [row | {"deviceId": 1, "start": row["start"] + 10_000, "end": row["end"] + 10_000}
             for row in same]  # fmt: skip
    loss = series("loss(float *)", [210_000], start=after(other), deviceId=1)
    document = desk.report(desk.trace(gpus=[A100, second], kernels=[*same, *other, *loss]))
    totals = {device["device"]: device["totals"] for device in document["devices"]}
    # 6 x 120 us; 6 x 120 + 210 us
    assert (totals[0]["launches"], totals[0]["kernel_ns"]) == (6, 720_000)
    assert (totals[1]["launches"], totals[1]["kernel_ns"]) == (7, 930_000)
    assert document["totals"]["kernel_ns"] == 1_650_000
    # 6 x 120 + 5 x 30 us of span
    assert totals[0]["busy_ns"] / totals[0]["span_ns"] == pytest.approx(720 / 870)
    (row,) = [row for row in document["kernels"] if row["full_name"] == "loss(float *)"]
    assert (row["device"], row["time_ns"]) == (1, 210_000)


def test_correlation_ids_of_two_processes_are_not_mixed(desk):
    kernels, calls, spans = [], [], []
    for pid, name, each_ns in [(4242, "rank0_matmul(float *)", 90_000),
                               (5151, "rank1_matmul(float *)", 160_000)]:  # fmt: skip
        columns = {"globalPid": global_pid(pid), "contextId": pid, "streamId": pid % 100}
        rows = series(name, [each_ns] * 5, gap_ns=10_000, **columns)
        made = with_calls(rows, thread=global_tid(pid))  # both count from the same number
        kernels += made["kernels"]
        calls += made["calls"]
        first, last = made["calls"][0], made["calls"][-1]
        spans.append(nvtx(first["start"] - 1, last["end"] + 1, f"rank of {pid}",
                          thread=global_tid(pid)))  # fmt: skip
    document = desk.report(desk.trace(kernels=kernels, calls=calls, nvtx=spans))
    assert document["totals"]["launches"] == 10
    # 5 x 90 and 5 x 160 us
    assert document["totals"]["kernel_ns"] == 1_250_000
    found = {name: row["time_ns"] for name, row in by_name(document).items()}
    assert found == {"rank0_matmul": 450_000, "rank1_matmul": 800_000}
    assert ranges(document) == {"rank of 4242": 450_000, "rank of 5151": 800_000}


# Time -----------------------------------------------------------------------------------


def test_a_launch_that_outlasts_the_next_of_its_stream_is_named_as_damage(desk):
    adds = series("ew_mul(float *)", [20_000] * 30, gap_ns=10_000)
    attends = series("sdpa_fwd(float *)", [150_000] * 50, start=after(adds, 10_000), gap_ns=10_000)
    damaged = kernel(adds[-1]["start"] + 100, None, "ew_mul(float *)")
    damaged |= {"start": adds[3]["end"] + 1_000, "end": adds[3]["end"] + 1_000 + 2_000_000_000}
    document = desk.report(desk.trace(kernels=[*adds, damaged, *attends]))
    found = by_name(document)
    # shown as recorded: 30 x 20 us + 2 s; 50 x 150 us
    assert found["ew_mul"]["time_ns"] == 2_000_600_000
    assert found["sdpa_fwd"]["time_ns"] == 7_500_000
    message = warned(document, "impossible-duration")
    assert "1 of 81" in message
    assert "ew_mul" in message
    # 2,000,000 of 2,008,100 us; without it 7,500 of 8,100 us
    assert "99.6 %" in message
    assert "sdpa_fwd 7.50 ms (93 %)" in message
    assert "ew_mul 600 µs (7.4 %)" in message
    # 30 sound launches of 20 us; the damaged one is in the sum alone
    mul = by_name(document)["ew_mul"]
    assert (mul["mean_ns"], mul["median_ns"]) == (20_000, 20_000)
    assert "1 launch of 2.00 s can't be right" in mul["notes"][0]
    # busy time is a union: it can't exceed the span
    (device,) = document["devices"]
    assert device["totals"]["busy_ns"] <= device["totals"]["span_ns"]


def test_copies_in_the_gaps_are_neither_kernels_nor_idle(desk):
    # four kernels of 800 us, in the gaps between them 600, 900 and 1,100 us
    kernels, start = [], 1_000_000
    for gap in (600_000, 900_000, 1_100_000, 0):
        kernels.append(kernel(start, start + 800_000, "conv_bwd(float *)"))
        start += 800_000 + gap
    ends = [row["end"] for row in kernels]
    document = desk.report(
        desk.trace(
            kernels=kernels,
            copies=[
                # 500 us, and another 250 us that begins in its middle on another stream
                copy(ends[0], ends[0] + 500_000, 12_000_000),
                copy(ends[0] + 250_000, ends[0] + 500_000, 6_000_000, streamId=9),
                # 900 us, all of the gap and some of the kernel behind it
                copy(ends[1], ends[1] + 1_000_000, 24_000_000),
                # 80 us on the device itself
                copy(ends[2] + 1_000, ends[2] + 81_000, 65_536_000, kind=8, srcKind=2),
            ],
        )
    )
    totals = document["totals"]
    # 4 x 800 + 600 + 900 + 1,100 us
    assert totals["span_ns"] == 5_800_000
    assert totals["kernel_ns"] == totals["busy_ns"] == 3_200_000
    # 500 + 900 + 80 us; idle 100 + 0 + 1,020 us
    assert totals["copy_ns"] == 1_480_000
    assert totals["idle_ns"] == 1_120_000
    # copies are no kernels
    assert only(document)["time_ratio"] == 1


# Versions and files ---------------------------------------------------------------------


@pytest.mark.parametrize("schema", SCHEMAS)
def test_every_schema_gives_the_same_report(desk, schema):
    rows = series("unfold(float *)", [140_000] * 9, **shape((108, 1, 1)))
    made = with_calls(rows)
    first, last = made["calls"][0], made["calls"][-1]
    document = desk.report(
        desk.trace(
            schema=schema, **made, nvtx=[nvtx(first["start"] - 1, last["end"] + 1, "iteration")]
        ),
        desk.counters(profiled("unfold(float *)", {"dram": 174_182_400, "ncu_ns": 150_000,
                                                   "fp32": (0, 0, 0)}, grid=(108, 1, 1))),
    )  # fmt: skip
    row = only(document)
    # 9 x 140 us; 174,182,400 B / 140 us = 1244.16 GB/s = 80 % of 1555.2
    assert (row["launches"], row["time_ns"]) == (9, 1_260_000)
    assert row["bandwidth_ratio"] == pytest.approx(0.8)
    assert document["devices"][0]["hardware"] == "a100-sxm4-40"
    assert ranges(document) == {"iteration": 1_260_000}
    assert document["warnings"] == []


def test_a_wrong_path_creates_nothing(desk):
    done = desk.type("ingest", "mistyped.sqlite")
    assert done.code == 1
    assert done.out == ""
    assert done.slugs == ["not-found"]
    assert "mistyped.sqlite" in done.err
    assert "not found" in done.err
    assert done.err.count("\n") == 1
    assert list(desk.folder.iterdir()) == []


def test_a_read_only_trace_in_a_read_only_folder_is_left_alone(desk, tmp_path):
    (tmp_path / "archive").mkdir()
    path = Desk(tmp_path / "archive").trace(kernels=series("touch(float *)", [12_000] * 4))
    path.chmod(0o444)
    path.parent.chmod(0o555)
    before = hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns
    try:
        document = desk.report(path)
        assert document["totals"]["launches"] == 4
        assert [entry.name for entry in path.parent.iterdir()] == ["trace.sqlite"]
    finally:
        path.parent.chmod(0o755)
    assert (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) == before


def test_a_trace_that_was_left_with_a_write_ahead_log_is_read_whole(desk):
    path = desk.trace(kernels=series("early(float *)", [10_000] * 3))
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL"
        )
        # the writer is alive, so the log is not folded into the file
        log = path.with_name(path.name + "-wal")
        files = {entry.name: entry.read_bytes() for entry in (path, log)}
        assert files[log.name]
        assert desk.report(path)["totals"]["launches"] == 6
        assert {entry.name: entry.read_bytes() for entry in (path, log)} == files
