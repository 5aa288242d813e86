"""NW902: exposed communication, and which rank the others wait for."""

import pytest
from support.findings import abstained, finding
from support.nsys_traces import A100, MICROSECOND, global_pid, kernel
from support.pipeline import by_name, warned

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
ALL_GATHER = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"


def keys(document):
    return [row["key"] for row in document["findings"] if row["code"] == "NW902"]


def rank(desk, number, gemm_us, reduce_us, *, gap_us=2, name=ALL_REDUCE):
    """Trace one rank: steps of a GEMM and a collective, on a GPU and a clock of its own."""
    rows, start = [], 5_000_000 + number * 123_456_789
    for gemm, exchange in zip(gemm_us, reduce_us, strict=True):
        for kernel_name, took in (("gemm(float *)", gemm), (name, exchange)):
            columns = {"globalPid": global_pid(5000 + number)}
            rows.append(kernel(start, start + took * MICROSECOND, kernel_name, **columns))
            start += (took + gap_us) * MICROSECOND
    gpu = A100 | {"uuid": f"a1000000-0000-4000-8000-00000000000{number}"}
    return desk.trace(name=f"rank{number}.sqlite", kernels=rows, gpus=[gpu])


def test_communication_that_is_partly_hidden(desk):
    # communication from 100 to 180 us, a GEMM beside it until 130 us: 50 of 80 us exposed
    rows = [
        kernel(1_000_000, 1_130_000, "gemm(float *)"),
        kernel(1_100_000, 1_180_000, ALL_REDUCE, streamId=13),
        kernel(1_180_000, 1_250_000, "gemm(float *)"),
    ]
    document = desk.report(desk.trace(kernels=rows))
    row = finding(document, "NW902", "exposed")
    assert row["title"] == "Communication is not hidden under other kernels"
    # of 250 us busy
    assert row["message"] == (
        "Communication takes 80.0 µs. During 50.0 µs of it no other kernel runs: it is exposed, "
        "20 % of busy time."
    )
    assert (row["saving_ns"], row["speedup_bound"]) == (50_000, pytest.approx(1.25))
    assert row["evidence"]["hidden_ns"] == 30_000
    assert [document["kernels"][number]["class"] for number in row["kernels"]] == ["comm_allreduce"]
    # 80 of 130 + 80 + 70 us
    assert row["time_ratio"] == pytest.approx(80 / 280)


def test_hidden_communication_is_no_finding_but_its_waiting_stays_unknown(desk):
    rows = [
        kernel(1_000_000, 1_200_000, "gemm(float *)"),
        kernel(1_100_000, 1_180_000, ALL_REDUCE, streamId=13),
    ]
    document = desk.report(desk.trace(kernels=rows))
    assert keys(document) == []
    reason = abstained(document, "NW902")
    assert reason.startswith("only one rank with comm_allreduce (80.0 µs) is in this run")
    assert "nsys-walls ingest rank*.sqlite" in reason


def test_runs_without_communication_are_no_matter_of_this_rule(desk):
    document = desk.report(desk.trace(kernels=[kernel(1_000_000, 1_200_000, "gemm(float *)")]))
    assert keys(document) == []
    assert all(row["code"] != "NW902" for row in document["abstained"])


@pytest.fixture
def late(desk):
    """Rank 0 computes 500 us a step, rank 1 400 and waits 100 longer in the first and second."""
    return desk.report(
        rank(desk, 0, [500, 500, 500], [30, 30, 30]),
        rank(desk, 1, [400, 400, 500], [130, 130, 30]),
    )


def test_the_late_rank_is_named_with_what_it_computed(late):
    row = finding(late, "NW902", "waiting")
    assert row["title"] == "Collectives wait for a late rank"
    assert row["message"] == (
        "Of 380 µs in collectives, 200 µs (53 %) is waiting for the rank that comes last: "
        "comm_allreduce 200 µs of 380 µs on 2 ranks. "
        "Rank 0 (GPU 0) comes last: it waits least, 0 ns; rank 1 waits most, 200 µs. "
        "Beside communication it runs kernels for 1.50 ms and is idle for 10.0 µs; the other ranks "
        "1.30 ms and 10.0 µs on average."
    )
    # busy: 1500 + 90 and 1300 + 290 us
    assert (row["saving_ns"], row["speedup_bound"]) == (200_000, pytest.approx(3180 / 2980))
    assert row["evidence"]["least_waiting_rank"] == 0
    assert [reason["code"] for reason in late["abstained"] if reason["code"] == "NW902"] == []


def test_communication_of_several_gpus_is_a_sum(late):
    row = finding(late, "NW902", "exposed")
    assert row["message"].endswith("Most of it is exposed on GPU 1: 290 µs.")
    assert row["saving_ns"] == 380_000


def test_ranks_that_take_turns_are_no_late_rank(desk):
    document = desk.report(
        rank(desk, 0, [500, 400], [30, 130]),
        rank(desk, 1, [400, 500], [130, 30]),
    )
    message = finding(document, "NW902", "waiting")["message"]
    assert message.endswith("No rank is the last throughout: they wait between 100 µs and 100 µs.")


def test_waiting_that_is_hidden_saves_nothing(desk):
    # every collective of rank 1 runs under a GEMM of its own, on another stream
    rows = []
    for start, took in ((1_000_000, 130_000), (2_000_000, 130_000)):
        columns = {"globalPid": global_pid(5001)}
        rows.append(kernel(start, start + 400_000, "gemm(float *)", **columns))
        rows.append(kernel(start + 5, start + 5 + took, ALL_REDUCE, streamId=13, **columns))
    gpu = A100 | {"uuid": "a1000000-0000-4000-8000-000000000001"}
    second = desk.trace("rank1.sqlite", kernels=rows, gpus=[gpu])
    document = desk.report(rank(desk, 0, [500, 500], [30, 30]), second)
    row = finding(document, "NW902", "waiting")
    # 200 us of waiting, but only the 60 us of rank 0 are exposed
    assert (row["evidence"]["waiting_ns"], row["saving_ns"]) == (200_000, 60_000)


def test_collectives_of_different_numbers_can_not_be_matched(desk):
    document = desk.report(
        rank(desk, 0, [500, 500], [30, 30]), rank(desk, 1, [500, 500, 500], [30, 30, 30])
    )
    assert keys(document) == ["exposed"]
    assert "the ranks launched comm_allreduce (150 µs) at different numbers" in abstained(
        document, "NW902"
    )


def test_a_class_too_small_to_matter_needs_no_other_rank(desk):
    # 1 us of all-gather on one rank only, in 1161 us of kernels
    first = rank(desk, 0, [500], [80])
    rows = [
        kernel(1_000_000, 1_500_000, "gemm(float *)"),
        kernel(1_500_000, 1_580_000, ALL_REDUCE),
        kernel(1_580_000, 1_581_000, ALL_GATHER),
    ]
    gpu = A100 | {"uuid": "a1000000-0000-4000-8000-000000000001"}
    document = desk.report(first, desk.trace("rank1.sqlite", kernels=rows, gpus=[gpu]))
    assert keys(document) == ["exposed"]
    assert all(row["code"] != "NW902" for row in document["abstained"])


def test_outliers_are_told_though_waiting_is_not_known(desk):
    # 40 of 20 us and one of 1 ms, on one rank
    document = desk.report(rank(desk, 0, [100] * 41, [20] * 40 + [1_000]))
    row = finding(document, "NW902", "outliers comm_allreduce")
    assert row["message"] == (
        "1 of 41 launches of ncclDevKernel_AllReduce_Sum_bf16_RING_LL took 1.00 ms of its 1.80 ms, "
        "the longest 1.00 ms with a median of 20.0 µs: they waited for another rank, or moved a "
        "far larger message."
    )
    assert row["saving_ns"] == 980_000
    assert row["kernels"] == [by_name(document)["ncclDevKernel_AllReduce_Sum_bf16_RING_LL"]["id"]]


def test_outliers_of_several_ranks_stand_beside_their_waiting(desk):
    document = desk.report(
        rank(desk, 0, [100] * 20, [20] * 19 + [1_000]), rank(desk, 1, [100] * 20, [20] * 20)
    )
    message = finding(document, "NW902", "waiting")["message"]
    assert "1 of 40 launches of ncclDevKernel_AllReduce_Sum_bf16_RING_LL" in message
    assert "outliers comm_allreduce" not in keys(document)


def test_outliers_are_of_a_kernel_on_all_gpus(desk):
    # rank 0: 11 launches, 10 of 20 us and one of 1 ms; rank 1: 12 of 20 us, so none can be matched
    document = desk.report(
        rank(desk, 0, [100] * 11, [20] * 10 + [1_000]), rank(desk, 1, [100] * 12, [20] * 12)
    )
    row = finding(document, "NW902", "outliers comm_allreduce")
    # 1.2 ms on GPU 0 and 0.24 ms on GPU 1
    assert row["message"].startswith(
        "1 of 23 launches of ncclDevKernel_AllReduce_Sum_bf16_RING_LL took 1.00 ms of its 1.44 ms, "
    )
    names = by_name(document)
    both = [names[f"ncclDevKernel_AllReduce_Sum_bf16_RING_LL GPU {gpu}"]["id"] for gpu in (0, 1)]
    assert row["kernels"] == sorted(both)
    (collective,) = document["communication"]
    assert collective["slow"]["kernel"] == both[0]
    assert warned(document, "slow-collective").startswith(
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL: 1 of 23 launches took 1.00 ms"
    )


def test_each_class_has_its_own_waiting(desk):
    document = desk.report(
        rank(desk, 0, [100], [200]),
        rank(desk, 1, [100], [100]),
        rank(desk, 2, [100], [50], name=ALL_GATHER),
        rank(desk, 3, [100], [10], name=ALL_GATHER),
    )
    message = finding(document, "NW902", "waiting")["message"]
    assert (
        "comm_allreduce 100 µs of 300 µs on 2 ranks; comm_allgather 40.0 µs of 60.0 µs" in message
    )


def test_a_summary_does_not_know_what_hides_communication(desk):
    desk.text(
        "sum.csv",
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
        f"50.0,1000000,10,100000.0,100000.0,100000,100000,0.0,gemm(float *)\n"
        f'50.0,1000000,10,100000.0,100000.0,100000,100000,0.0,"{ALL_REDUCE}"\n',
    )
    desk.ingest("sum.csv")
    document = desk.document("--hw", "a100")
    assert keys(document) == []
    assert "(1.00 ms) is only known from the launches of a trace" in abstained(document, "NW902")
