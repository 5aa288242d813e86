"""Fusion: neighbours that pass a tensor through DRAM, what it costs, and what is between them."""

import pytest
from support.nsys_traces import A100, MICROSECOND, call, copy, fill, global_tid, kernel, sync
from support.pipeline import by_name, parse_strictly, profiled, with_calls

SCALE, SHIFT, SPIN = "scale(const float *, float *)", "shift(float *)", "spin(float *)"
TIMES = 12

#: At 1,555.2 GB/s these bytes take 5 µs.
TENSOR = 7_776_000

READ, WRITE = "dram__bytes_read.sum", "dram__bytes_write.sum"


def pair(times=TIMES, gap_us=5):
    """Launch scale (20 µs), shift (12.5 µs) and spin (10 µs) again and again on one stream."""
    rows, start = [], 1_000_000
    for _ in range(times):
        for name, duration_ns in ((SCALE, 20_000), (SHIFT, 12_500), (SPIN, 10_000)):
            rows.append(kernel(start, start + duration_ns, name))
            start += duration_ns + gap_us * MICROSECOND
    return rows


def counters(desk, *, apart=True):
    """Scale reads two tensors and writes one, shift reads and writes one, spin only computes."""
    sides = {SCALE: (2 * TENSOR, TENSOR), SHIFT: (TENSOR, TENSOR), SPIN: (32, 32)}
    return desk.counters(
        *(
            profiled(
                name,
                ({READ: read, WRITE: written} if apart else {"dram": read + written})
                # spin does 97.5 MFLOP in 10 µs: 50 % of 19.5 TFLOP/s
                | {"fp32": (1, 0, 48_750_000 if name == SPIN else 0), "ncu_ns": 30_000},
            )
            for name, (read, written) in sides.items()
        )
    )


def chains(document):
    return [row for row in document["findings"] if row["code"] == "NW202"]


def abstained(document):
    return [row["reason"] for row in document["abstained"] if row["code"] == "NW202"]


def before_shift(rows):
    """Host times 1 µs before the launch calls of shift."""
    return [row["start"] - 21 * MICROSECOND for row in rows if row["demangledName"] == SHIFT]


def test_a_fused_pair_spares_the_tensor_between_on_paper(desk):
    document = desk.report(desk.trace(**with_calls(pair())), counters(desk))
    (found,) = chains(document)
    kernels = by_name(document)
    assert found["kernels"] == [kernels["scale"]["id"], kernels["shift"]["id"]]
    assert (found["key"], found["blockers"]) == ("C1", [])
    evidence = found["evidence"]
    assert (evidence["occurrences"], evidence["launches_saved"]) == (12, 12)
    # one tensor not written, the same one not read
    assert evidence["not_moved_bytes_each"] == 15_552_000
    assert evidence["not_moved_bytes"] == 186_624_000
    # 10 µs at the wall each time
    assert evidence["not_moved_at_wall_ns"] == pytest.approx(120_000)
    # a third of scale's traffic and half of shift's: 20 / 3 + 12.5 / 2 µs each time
    assert found["saving_ns"] == pytest.approx(155_000)
    # of 12 x (20 + 12.5 + 10) µs
    assert found["speedup_bound"] == pytest.approx(510 / 355)
    assert found["time_ratio"] == pytest.approx(32.5 / 42.5)
    assert "each time spare up to 15.6 MB of writing and reading back" in found["message"]


def test_whatif_fuses_a_chain_by_its_id(desk):
    desk.ingest(desk.trace(**with_calls(pair())), counters(desk))
    done = desk.type("whatif", "--fuse", "C1")
    assert (done.code, "chain C1 fused saves at most 155 µs" in done.out) == (0, True)


def test_the_command_of_a_chain_is_of_the_same_run_and_walls(desk):
    desk.ingest(desk.trace(**with_calls(pair())), counters(desk))
    (found,) = chains(desk.document("--near", "50%"))
    assert "`nsys-walls whatif trace --near 0.5 --fuse C1`" in found["advice"]


@pytest.mark.parametrize(
    ("options", "left_ns"),
    [
        # at the wall scale takes 15 and shift 10 µs; two tensors of 5 µs less each time
        (("--wall", "bandwidth=100%"), 12 * (15_000 + 10_000 - 10_000)),
        # 10 + 12.5 µs: a third of the first goes, and half of the second
        (("--kernel", "scale=2x"), 12 * (10_000 * 2 / 3 + 12_500 / 2)),
    ],
)
def test_a_chain_of_kernels_that_are_faster_already_saves_less(desk, options, left_ns):
    desk.ingest(desk.trace(**with_calls(pair())), counters(desk))
    done = desk.type("whatif", *options, "--fuse", "C1", "--format", "json")
    answer = parse_strictly(done.out)
    # spin has 12 x 10 µs, as before; three tensors of 5 µs are the floor
    floor_ns = 12 * 3 * 5_000
    assert answer["kernel_ns"]["after_ns"] - 120_000 == pytest.approx(max(left_ns, floor_ns))


def test_together_changes_stay_above_the_floor_of_the_fused_kernel(desk):
    desk.ingest(desk.trace(**with_calls(pair())), counters(desk))
    for options in (
        ("--kernel", "scale=100%", "--kernel", "shift=100%"),
        ("--kernel", "scale=2x", "--kernel", "shift=100%"),
    ):
        done = desk.type("whatif", *options, "--fuse", "C1", "--format", "json")
        answer = parse_strictly(done.out)
        assert answer["busy_ns"]["after_ns"] >= 12 * (3 * 5_000 + 10_000) - 1e-6


def test_a_kernel_at_no_wall_may_go_down_to_the_floor_of_the_fused_one(desk):
    # 10 of 20 µs and 10 of 20 µs at the wall: 50 %; fused, two tensors of 5 µs stay
    rows, start = [], 1_000_000
    for _ in range(TIMES):
        rows += [
            kernel(start, start + 20_000, SCALE),
            kernel(start + 25_000, start + 45_000, SHIFT),
        ]
        start += 350_000
    sides = {READ: TENSOR, WRITE: TENSOR, "fp32": (1, 0, 0)}
    path = desk.counters(*(profiled(name, sides) for name in (SCALE, SHIFT)))
    found = chains(desk.report(desk.trace(**with_calls(rows)), path))[0]
    assert found["saving_ns"] == pytest.approx(12 * (40_000 - 10_000))
    assert found["evidence"]["no_wall_time_ns"] == 480_000
    assert found["evidence"]["fused_floor_ns"] == pytest.approx(120_000)
    assert "That saves at most 360 µs" in found["message"]
    assert "Kernels at no wall take 480 µs of this time" in found["message"]
    assert "as long as the 120 µs remain" in found["message"]
    options = ("--wall", "bandwidth=100%", "--near", "10%", "--fuse", "C1")
    answer = parse_strictly(desk.type("whatif", *options, "--format", "json").out)
    assert answer["busy_ns"]["after_ns"] == pytest.approx(120_000)


def test_a_chain_on_several_gpus_is_one_finding(desk):
    gpus = [
        A100 | {"id": gpu, "cuda_ordinal": gpu, "bus": f"0000:4{gpu}:00.0",
                "uuid": f"a1000000-0000-4000-8000-00000000000{gpu}"}
        for gpu in range(2)
    ]  # fmt: skip
    rows = [row | {"deviceId": gpu} for gpu in range(2) for row in pair()]
    document = desk.report(desk.trace(gpus=gpus, **with_calls(rows)), counters(desk))
    (found,) = chains(document)
    names = [document["kernels"][number]["name"] for number in found["kernels"]]
    assert sorted(names) == ["scale GPU 0", "scale GPU 1", "shift GPU 0", "shift GPU 1"]
    title = "Chain C1: on each of 2 GPUs, 2 neighbouring launches of 2 kernels could be one"
    assert found["title"] == title
    assert found["message"].startswith("scale GPU 0 → shift GPU 0 follow each other 24 times")
    assert "That is the sum over 2 GPUs" in found["message"]
    # twice the chain of one GPU, in twice its time
    assert found["saving_ns"] == pytest.approx(2 * 155_000)
    assert found["speedup_bound"] == pytest.approx(510 / 355)
    assert "chain C1 fused saves at most 310 µs" in desk.type("whatif", "--fuse", "C1").out


def test_a_chain_is_worth_a_sentence_by_its_share_of_all_gpus(desk):
    # 6.5 ms of spin beside 155 µs that a chain saves: 2.2 % of one GPU, and of eight
    gpus = [
        A100 | {"id": gpu, "cuda_ordinal": gpu, "bus": f"0000:4{gpu}:00.0",
                "uuid": f"a1000000-0000-4000-8000-00000000000{gpu}"}
        for gpu in range(8)
    ]  # fmt: skip
    one = [*pair(), kernel(9_000_000, 15_500_000, "long(int)")]
    rows = [row | {"deviceId": gpu} for gpu in range(8) for row in one]
    (found,) = chains(desk.report(desk.trace(gpus=gpus, **with_calls(rows)), counters(desk)))
    assert len(found["kernels"]) == 16
    assert found["evidence"]["gpus"] == 8
    assert found["evidence"]["occurrences"] == 96


def test_the_same_pair_with_an_event_wait_between_is_blocked(desk):
    rows = pair()
    waits = [sync(start, start + 500, 2) for start in before_shift(rows)]
    document = desk.report(desk.trace(**with_calls(rows), syncs=waits), counters(desk))
    (found,) = chains(document)
    assert found["blockers"] == ["event wait between scale and shift in 12 of 12 occurrences"]
    assert (found["saving_ns"], found["speedup_bound"]) == (None, None)
    assert found["evidence"]["not_moved_bytes"] == 186_624_000
    assert found["title"] == "Chain C1 is blocked (event wait): 1 pair of neighbouring kernels"
    done = desk.type("whatif", "--fuse", "C1")
    assert "chain C1 is blocked and saves nothing: event wait between scale and shift" in done.out


def test_what_blocks_only_some_pairs_is_counted_apart(desk):
    rows = pair()
    waits = [sync(start, start + 500, 2) for start in before_shift(rows)[:3]]
    document = desk.report(desk.trace(**with_calls(rows), syncs=waits), counters(desk))
    free, blocked = chains(document)
    assert (free["key"], free["evidence"]["occurrences"]) == ("C1", 9)
    assert free["saving_ns"] == pytest.approx(155_000 * 9 / 12)
    assert blocked["key"] == "C2"
    assert blocked["blockers"] == ["event wait between scale and shift in 3 of 12 occurrences"]


@pytest.mark.parametrize(
    ("between", "clause"),
    [
        (lambda at: {"syncs": [sync(at, at + 500, 3)]}, "host synchronisation"),
        (
            lambda at: {"syncs": [sync(at, at + 500, 4, streamId=0xFFFFFFFF)]},
            "host synchronisation",
        ),
        (
            lambda at: {"calls": [call(at, 9, at + 500, name="cudaDeviceSynchronize_v3020")]},
            "host synchronisation",
        ),
        (lambda at: {"calls": [call(at, 9, at + 500, name="cudaMemcpy_v3020")]}, "host synchron"),
        (lambda at: {"calls": [call(at, 9, at + 500, name="cudaStreamWaitEvent")]}, "event wait"),
        (
            lambda at: {
                "calls": [call(at, 9, at + 500, name="cuCtxSynchronize", thread=global_tid(tid=99))]
            },
            "host synchronisation",
        ),
        (
            lambda at: {"calls": [call(at, 9, at + 500, name="cudaFree_v3020")]},
            "allocation or release of memory",
        ),
        # on the device between the two
        (lambda at: {"copies": [copy(at + 18_000, at + 19_000, 8)]}, "copy or set"),
        (lambda at: {"fills": [fill(at + 18_000, at + 19_000, 8)]}, "copy or set"),
    ],
    ids=[
        "stream",
        "context",
        "device",
        "blocking copy",
        "wait call",
        "device, another thread",
        "free",
        "copy",
        "set",
    ],
)
def test_what_blocks(desk, between, clause):
    trace = with_calls(pair())
    for at in before_shift(trace["kernels"]):
        for table, rows in between(at).items():
            trace[table] = [*trace.get(table, []), *rows]
    (found,) = chains(desk.report(desk.trace(**trace), counters(desk)))
    (blocker,) = found["blockers"]
    assert blocker.startswith(clause)
    assert blocker.endswith("between scale and shift in 12 of 12 occurrences")
    assert found["saving_ns"] is None


def test_what_happens_on_another_stream_or_thread_blocks_nothing(desk):
    rows = pair()
    at = before_shift(rows)
    syncs = [sync(t, t + 500, 2, streamId=8) for t in at]
    beside = [kernel(t + 15_000, t + 30_000, SPIN, streamId=9) for t in at]
    trace = with_calls(rows)
    trace["calls"] += [
        call | {"nameId": "cudaStreamSynchronize_v3020", "globalTid": global_tid(tid=99)}
        for call in trace["calls"]
    ]
    trace["kernels"] += beside
    (found,) = chains(desk.report(desk.trace(**trace, syncs=syncs), counters(desk)))
    assert (found["blockers"], found["evidence"]["occurrences"]) == ([], 12)


def test_a_long_gap_blocks_and_a_short_one_is_a_launch(desk):
    document = desk.report(desk.trace(**with_calls(pair(gap_us=101))), counters(desk))
    (found,) = chains(document)
    assert found["blockers"] == ["idle gap between scale and shift in 12 of 12 occurrences"]
    trace = desk.trace("short.sqlite", **with_calls(pair(gap_us=99)))
    assert chains(desk.report(trace, counters(desk)))[0]["blockers"] == []


def test_one_in_a_graph_and_one_outside_is_an_edge(desk):
    rows = pair()
    for row in rows:
        row["graphNodeId"] = 1 if row["demangledName"] == SCALE else 0
    (found,) = chains(desk.report(desk.trace(**with_calls(rows)), counters(desk)))
    assert found["blockers"] == [
        "edge of a CUDA graph between scale and shift in 12 of 12 occurrences"
    ]


def test_an_epilogue_behind_a_gemm_is_a_chain(desk):
    gemm, gelu = "ampere_sgemm_128x64_nn", "gelu(float *)"
    rows, start = [], 1_000_000
    for _ in range(3):
        rows += [
            kernel(start, start + 100_000, gemm),
            kernel(start + 100_000, start + 115_000, gelu),
        ]
        start += 400_000
    path = desk.counters(
        # 1.17 GFLOP in 100 µs: 60 % of 19.5 TFLOP/s
        profiled(gemm, {READ: TENSOR, WRITE: TENSOR, "fp32": (0, 0, 585_000_000)}),
        profiled(gelu, {READ: TENSOR, WRITE: TENSOR, "fp32": (1, 0, 0)}),
    )
    document = desk.report(desk.trace(**with_calls(rows)), path)
    found = chains(document)[0]
    names = by_name(document)
    assert names["ampere_sgemm_128x64_nn"]["side"] == "compute"
    assert found["kernels"] == [names["ampere_sgemm_128x64_nn"]["id"], names["gelu"]["id"]]
    # the GEMM's write is worth 5 µs at the wall, the read is half of what gelu moves in 15 µs
    assert found["saving_ns"] == pytest.approx(3 * 12_500)
    assert "epilogue" in found["advice"]


def test_it_is_silent_where_neighbours_pass_nothing_on(desk):
    path = desk.counters(
        profiled(SCALE, {READ: 2 * TENSOR, WRITE: 320, "fp32": (1, 0, 0)}),
        profiled(SHIFT, {READ: TENSOR, WRITE: 320, "fp32": (1, 0, 0)}),
        profiled(SPIN, {READ: 32, WRITE: 32, "fp32": (0, 0, 48_750_000)}),
    )
    document = desk.report(desk.trace(**with_calls(pair())), path)
    assert (chains(document), abstained(document)) == ([], [])


def test_it_abstains_where_reads_and_writes_were_not_counted_apart(desk):
    document = desk.report(desk.trace(**with_calls(pair())), counters(desk, apart=False))
    assert chains(document) == []
    # 32.5 of 42.5 µs
    (reason,) = abstained(document)
    assert reason == (
        "memory-side kernels with 76 % of kernel time have DRAM reads and writes only together, "
        "or one of them; collect dram__bytes_read.sum and dram__bytes_write.sum"
    )


def test_it_abstains_without_counters_and_without_launches(desk):
    document = desk.report(desk.trace(**with_calls(pair())))
    assert abstained(document) == [
        "100 % of kernel time has no usable counters, so it is not known what its kernels pass on"
    ]
    document = desk.report(counters(desk), options=("--hw", "a100-sxm4-40"))
    assert "the run holds no single launches" in abstained(document)[0]


def test_without_host_calls_waits_are_said_to_be_unseen(desk):
    (found,) = chains(desk.report(desk.trace(kernels=pair()), counters(desk)))
    assert "waits between the kernels could not be seen" in found["message"]


def test_a_program_that_waits_after_each_kernel_is_one_finding(desk):
    names = [f"step_{number}(float *)" for number in range(8)]
    rows, calls = [], []
    for place in range(24):
        start = 1_000_000 + place * 30_000
        rows.append(kernel(start, start + 15_000, names[place % 8]))
        calls.append(call(start - 5_000, 900 + place, name="cudaDeviceSynchronize_v3020"))
    trace = with_calls(rows)
    trace["calls"] += calls
    sides = {READ: TENSOR, WRITE: TENSOR, "fp32": (1, 0, 0)}
    path = desk.counters(*(profiled(name, sides) for name in names))
    (found,) = chains(desk.report(desk.trace(**trace), path))
    assert found["title"] == (
        "Chain C1 is blocked (host synchronisation): 8 pairs of neighbouring kernels"
    )
    assert len(found["blockers"]) == 6
    assert found["blockers"][0] == (
        "host synchronisation between step_0 and step_1 in 3 of 3 occurrences"
    )
    assert found["blockers"][-1] == "likewise between 3 more pairs"
    assert sorted(found["kernels"]) == list(range(8))
