"""Layout: kernels that only move data, how often they come again, and what that costs."""

from pathlib import Path

import pytest
from support.findings import found as check_rule
from support.nsys_traces import call, copy, graph, kernel, nvtx
from support.pipeline import by_name, profiled, with_calls
from support.runs import analyse_rows, trace_rows

from nsys_walls.findings.layout_traffic import RULE

FIXTURES = Path(__file__).parents[2] / "fixtures"
TRANSPOSE, SPIN = "transpose_tiled_kernel(float *)", "spin(float *)"
READ, WRITE = "dram__bytes_read.sum", "dram__bytes_write.sum"

#: At 1,555.2 GB/s these bytes take 5 µs.
TENSOR = 7_776_000
STEPS = 4


def steps():
    """In each step, transpose for 20 µs and compute for 60 µs."""
    rows = []
    for start in range(1_000_000, 1_000_000 + STEPS * 100_000, 100_000):
        rows.append(kernel(start, start + 20_000, TRANSPOSE))
        rows.append(kernel(start + 25_000, start + 85_000, SPIN))
    return rows


def moved(**changes):
    """Counters of a transpose: it reads a tensor and writes it."""
    return profiled(TRANSPOSE, {READ: TENSOR, WRITE: TENSOR, "fp32": (0, 0, 0)} | changes)


def found(document):
    return [row for row in document["findings"] if row["code"] == "NW201"]


def abstained(document):
    return [row["reason"] for row in document["abstained"] if row["code"] == "NW201"]


def test_a_transpose_in_every_step(desk):
    document = desk.report(desk.trace(**with_calls(steps())), desk.counters(moved()))
    (row,) = found(document)
    assert row["kernels"] == [by_name(document)["transpose_tiled_kernel"]["id"]]
    assert (row["saving_ns"], row["time_ratio"]) == (80_000, 0.25)
    # of 320 µs
    assert row["speedup_bound"] == pytest.approx(320 / 240)
    assert row["evidence"] == {
        "layout_time_ns": 80_000,
        "layout_bytes": 8 * TENSOR,
        "layout_at_wall_ns": pytest.approx(40_000),
        "heaviest_bytes": 2 * TENSOR,
        "heaviest_one_way_bytes": TENSOR,
        "step": None,
        "step_launches": 2,
        "steps": 4,
        "launches_per_step": 1,
        "bytes_per_step": 2 * TENSOR,
        "bytes_per_100_steps": 200 * TENSOR,
        "at_wall_ns_per_100_steps": pytest.approx(1_000_000),
        "one_way_at_wall_ns_per_100_steps": pytest.approx(500_000),
    }
    assert "once in 2 launches of its stream" in row["message"]


def test_a_step_is_called_by_its_range(desk):
    ranges = [nvtx(960_000 + n * 100_000, 1_059_000 + n * 100_000, f"step {n}") for n in range(4)]
    trace = desk.trace(**with_calls(steps()), nvtx=ranges)
    (row,) = found(desk.report(trace, desk.counters(moved())))
    assert "Every NVTX range `step *` holds one; there are 4 of these ranges." in row["message"]
    assert row["evidence"]["step"] == "step *"


def test_several_in_a_step_are_counted(desk):
    rows = sorted(
        [*steps(), *(row | {"start": row["start"] + 90_000, "end": row["end"] + 90_000}
                     for row in steps() if row["demangledName"] == TRANSPOSE)],
        key=lambda row: row["start"],
    )  # fmt: skip
    # calls come 20 µs before their kernels: at -20, 5 and 70 µs of a step
    ranges = [nvtx(975_000 + n * 100_000, 1_074_000 + n * 100_000, "step") for n in range(4)]
    trace = desk.trace(**with_calls(rows), nvtx=ranges)
    (row,) = found(desk.report(trace, desk.counters(moved())))
    assert row["evidence"]["launches_per_step"] == 2
    assert row["evidence"]["bytes_per_step"] == 4 * TENSOR
    assert "Every NVTX range `step` holds 2; there are 4 of these ranges." in row["message"]


def test_without_a_period_there_are_no_steps(desk):
    # no more than one distance
    counters = moved(**{READ: 7_776, WRITE: 7_776})
    document = desk.report(desk.trace(**with_calls(steps()[:4])), desk.counters(counters))
    (row,) = found(document)
    assert "steps" not in row["evidence"]
    assert row["message"].endswith("moves 15.6 kB each time, 7.78 kB one way.")


def test_writes_that_stay_in_l2_are_said_to_do_so(desk):
    counters = moved(**{READ: 31_104, WRITE: 0})
    document = desk.report(desk.trace(**with_calls(steps()[:4])), desk.counters(counters))
    (row,) = found(document)
    assert row["message"].endswith("moves 31.1 kB each time; what it writes stays in L2.")


def test_flop_that_were_not_counted_are_said_to_be_unknown(desk):
    counters = profiled(TRANSPOSE, {"dram": 2 * TENSOR})
    (row,) = found(desk.report(desk.trace(**with_calls(steps())), desk.counters(counters)))
    assert "FLOP of 1 of them were not counted" in row["message"]
    # half of the sum
    assert row["evidence"]["heaviest_one_way_bytes"] == TENSOR


def test_it_is_silent_of_a_transpose_that_computes(desk):
    # 0.2 FLOP a byte
    counters = moved(fp32=(0, 0, TENSOR // 5))
    document = desk.report(desk.trace(**with_calls(steps())), desk.counters(counters))
    assert (found(document), abstained(document)) == ([], [])


def test_it_is_silent_of_little_time(desk):
    rows = [*steps(), kernel(2_000_000, 20_000_000, SPIN)]
    document = desk.report(desk.trace(**with_calls(rows)), desk.counters(moved()))
    assert (found(document), abstained(document)) == ([], [])


def test_it_abstains_without_bytes(desk):
    document = desk.report(desk.trace(**with_calls(steps())))
    assert found(document) == []
    (reason,) = abstained(document)
    assert reason == (
        "kernels that copy or re-order data by their name take 25 % of kernel time, and their "
        "bytes are not known"
    )


def test_copies_within_a_gpu_move_their_bytes_twice(desk):
    # a tensor each, 20 µs, 5 of them under a kernel
    rows = [
        copy(start - 15_000, start + 5_000, TENSOR, 8, srcKind=2)
        for start in range(1_025_000, 1_425_000, 100_000)
    ]
    kernels = [row for row in steps() if row["demangledName"] == SPIN]
    document = desk.report(desk.trace(**with_calls(kernels), copies=rows))
    (row,) = found(document)
    evidence = row["evidence"]
    assert (evidence["copied_bytes"], evidence["moved_bytes"]) == (4 * TENSOR, 8 * TENSOR)
    # 8 tensors at 5 µs
    assert evidence["copies_at_wall_ns"] == pytest.approx(40_000)
    assert (evidence["copy_time_ns"], row["saving_ns"]) == (80_000, 60_000)
    # from 1010 to 1385 µs
    assert row["speedup_bound"] == pytest.approx(375 / 315)
    assert (row["kernels"], row["time_ratio"]) == ([], 0)


def test_copies_of_unknown_size_keep_their_time(desk):
    rows = [copy(2_000_000, 2_080_000, None, 8, srcKind=2)]
    (row,) = found(desk.report(desk.trace(**with_calls(steps()), copies=rows)))
    assert (row["saving_ns"], row["evidence"]["copied_bytes"]) == (80_000, None)
    # from 1.00 to 2.08 ms
    assert row["message"].endswith(
        "takes 80.0 µs, 7.4 % of the time from first to last work. No kernel ran during 80.0 µs of "
        "it."
    )


def beside(copies, **rows):
    """Trace copies beside kernels from 1.00 to 1.01 and from 21.00 to 21.01 ms."""
    return {"kernels": [kernel(1_000_000, 1_010_000, SPIN), kernel(21_000_000, 21_010_000, SPIN)],
            "copies": copies, **rows}  # fmt: skip


def test_copies_at_once_count_once(desk):
    # 4 copies of 10 ms side by side, of 20.01 ms
    copies = [
        copy(2_000_000, 12_000_000, TENSOR, 8, srcKind=2, streamId=stream) for stream in range(4)
    ]
    (row,) = found(desk.report(desk.trace(**beside(copies))))
    assert row["title"] == "Copies within a GPU take 50 % of the time"
    assert (
        "take 10.0 ms, 50 % of the time from first to last work. Several ran at once: one by one "
        "they add up to 40.0 ms. No kernel ran during 10.0 ms of it."
    ) in row["message"]
    assert (row["saving_ns"], row["evidence"]["copy_time_ns"]) == (10_000_000, 40_000_000)
    assert row["speedup_bound"] == pytest.approx(20.01 / 10.01)


def test_copies_under_a_graph_of_one_row_are_hidden(desk):
    # the graph runs from 2 to 12 ms, the copy from 3 to 13 ms
    copies = [copy(3_000_000, 13_000_000, TENSOR, 8, srcKind=2, streamId=9)]
    document = desk.report(desk.trace(**beside(copies, graphs=[graph(2_000_000, 12_000_000)])))
    (row,) = found(document)
    assert (row["saving_ns"], document["totals"]["copy_ns"]) == (1_000_000, 1_000_000)
    assert "No kernel ran during 1.00 ms of it." in row["message"]


def test_copies_within_a_gpu_are_found_in_their_steps(desk):
    kernels = with_calls([row for row in steps() if row["demangledName"] == SPIN])
    starts = range(1_000_000, 1_400_000, 100_000)
    copies = [
        copy(start, start + 20_000, TENSOR, 8, srcKind=2, correlationId=500 + start // 100_000)
        for start in starts
    ]
    calls = [
        call(start - 15_000, 500 + start // 100_000, name="cudaMemcpyAsync_v3020")
        for start in starts
    ]
    kernels["calls"] += calls
    ranges = [nvtx(start - 30_000, start + 20_000, f"step {start}") for start in starts]
    (row,) = found(desk.report(desk.trace(**kernels, copies=copies, nvtx=ranges)))
    assert (row["evidence"]["step"], row["evidence"]["copies_per_step"]) == ("step *", 1)
    assert "Every NVTX range `step *` holds one; there are 4" in row["message"]


def test_copies_that_kernels_hide_save_nothing(desk):
    rows = [kernel(1_000_000, 2_000_000, SPIN)]
    copies = [copy(1_100_000, 1_600_000, TENSOR, 8, srcKind=2, streamId=9)]
    (row,) = found(desk.report(desk.trace(kernels=rows, copies=copies)))
    assert (row["saving_ns"], row["speedup_bound"]) == (0, 1)
    assert "Kernels ran all the while, and share the memory with them." in row["message"]


def test_copies_in_a_trace_without_kernels_may_be_hidden_or_not(tmp_path):
    copies = {
        "devices": [{"gpu": 0, "ordinal": 0}],
        "copies": [{"start_ns": 0, "duration_ns": 900, "gpu": 0, "operation": "device_to_device"}],
    }
    # the kernel's device spans 100 ns, the other one 900 ns
    analysis = analyse_rows(tmp_path, trace_rows([(0, 100, 0, 0, 7)]), copies)
    (row,) = [row for row in check_rule(RULE, analysis) if row.key == "copies"]
    assert (row.saving_ns, row.evidence["exposed_ns"]) == (None, None)
    assert str(row.message) == (
        "1 copy from device memory to device memory of the same GPU takes 900 ns, 90 % of the time "
        "from first to last work."
    )


# 2048 x 1024 numbers of 2 bytes are 4 MiB; 100 times, at 320 GB/s, that is 1.31 ms one way
def test_the_cache_of_keys_and_values_is_moved_for_every_token(desk):
    desk.ingest(*sorted((FIXTURES / "gpt-decode-a100").glob("*-generated.*")))
    (row,) = found(desk.document("--bandwidth", "320GB/s"))
    evidence = row["evidence"]
    assert evidence["heaviest_one_way_bytes"] == 2048 * 1024 * 2
    assert (evidence["steps"], evidence["launches_per_step"], evidence["step"]) == (
        100, 1, "decode",
    )  # fmt: skip
    assert evidence["bytes_per_100_steps"] == 2 * 100 * 4_194_304
    assert 1.25e6 <= evidence["one_way_at_wall_ns_per_100_steps"] <= 1.32e6
    assert "4.19 MB (4.00 MiB) one way" in row["message"]
    assert "839 MB in 100 steps: 2.62 ms at the bandwidth wall, 1.31 ms one way" in row["message"]
    # on the A100 itself, at 2,039 GB/s
    (row,) = found(desk.document())
    assert "839 MB in 100 steps: 411 µs at the bandwidth wall, 206 µs one way" in row["message"]


def test_norm_softmax_and_layout_are_over_40_percent_of_bert(desk):
    desk.ingest(*sorted((FIXTURES / "bert-base-t4").glob("*-generated.*")))
    document = desk.document()
    classes = {row["class"]: row["time_ratio"] for row in document["classes"]}
    assert classes["norm"] + classes["softmax"] + classes["copy"] > 0.4
    (layout,) = found(document)
    assert layout["time_ratio"] == pytest.approx(classes["copy"])
    chains = [row for row in document["findings"] if row["code"] == "NW202"]
    names = {row["id"]: row["class"] for row in document["kernels"]}
    assert any(
        [names[number] for number in row["kernels"]][:1] == ["gemm"]
        and "softmax" in {names[number] for number in row["kernels"]}
        for row in chains
    )
    assert not any(row["blockers"] for row in chains)
