"""NW501: what keeps an idle GPU waiting, and what removing it could win."""

import pytest
from support.findings import abstained, finding
from support.nsys_traces import MICROSECOND, call, graph, kernel, nvtx
from support.pipeline import by_name, profiled, series, with_calls

DECODE = "decode_attention(float *)"


def codes(document):
    """List code and key of what was found, with this rule's code only."""
    return [row["key"] for row in document["findings"] if row["code"] == "NW501"]


def test_kernels_shorter_than_the_gaps_between_their_launches(desk):
    # 100 kernels of 2 us, 99 gaps of 5 us: 200 + 495 = 695 us
    rows = series(DECODE, [2_000] * 100, gap_ns=5_000)
    path = desk.trace(**with_calls(rows), nvtx=[nvtx(900_000, 2_000_000, "decode")])
    document = desk.report(path)
    row = finding(document, "NW501")
    assert row["title"] == "Kernels are shorter than the gaps between their launches"
    assert row["message"] == (
        "For 495 µs (71 % of the span) the GPU was idle in 99 gaps longer than the kernels on both "
        "sides, 1 stretch of them; the kernels behind them take 198 µs. All 99 gaps in which it "
        "waited for no more than a launch add up to 495 µs. The longer gaps are before "
        "decode_attention. It is mostly before launches of the NVTX range `decode`."
    )
    assert row["saving_ns"] == 495_000
    # the base is the span: 695 / 200
    assert row["speedup_bound"] == row["end_to_end_bound"] == pytest.approx(3.475)
    assert row["kernels"] == [0]
    assert row["time_ratio"] == pytest.approx(0.99)
    assert row["evidence"]["stretches"] == 1
    assert "CUDA graph" in row["advice"]


def test_a_graph_would_hold_the_gaps_beside_long_kernels_too(desk):
    # 1 us, 50 us, 1 us, 1 us, ...: gaps of 4 us; 20 of each, so 20 gaps beside 50 us on each side
    kernels = []
    start = 1_000_000
    for _ in range(20):
        for each_ns in (1_000, 50_000, 1_000):
            kernels.append(kernel(start, start + each_ns, DECODE))
            start += each_ns + 4_000
    row = finding(desk.report(desk.trace(**with_calls(kernels))), "NW501")
    # between two rounds, 1 us on both sides
    assert (row["evidence"]["longer_gaps"], row["evidence"]["longer_gaps_ns"]) == (19, 76_000)
    assert (row["evidence"]["gaps"], row["saving_ns"]) == (59, 236_000)


def test_long_kernels_with_short_gaps_are_no_finding(desk):
    rows = series("gemm(float *)", [50_000] * 40, gap_ns=1_000)
    document = desk.report(desk.trace(**with_calls(rows)))
    assert codes(document) == []
    assert all(row["code"] != "NW501" for row in document["abstained"])


def test_kernels_inside_one_cuda_graph_are_launched_at_once(desk):
    rows = [row | {"graphNodeId": n} for n, row in enumerate(series(DECODE, [2_000] * 50))]
    numbered = [row | {"correlationId": 9} for row in rows]
    calls = [call(990_000, 9, name="cudaGraphLaunch_v10000")]
    assert codes(desk.report(desk.trace(kernels=numbered, calls=calls))) == []


def two_kernels(desk, *calls, gap_ns=400_000, launched_ns=None, launch_ns=2 * MICROSECOND):
    """Trace two kernels of 100 us, and the calls of the second: ended 1.1 ms, next 1.1 ms + gap."""
    second = 1_100_000 + gap_ns
    rows = [
        kernel(1_000_000, 1_100_000, "gemm(float *)", correlationId=1),
        kernel(second, second + 100_000, "norm(float *)", correlationId=2),
    ]
    launched_ns = second - 3_000 if launched_ns is None else launched_ns
    launches = [call(990_000, 1), call(launched_ns, 2, launched_ns + launch_ns)]
    return desk.report(desk.trace(kernels=rows, calls=[*calls, *launches]))


def test_a_host_that_works_after_a_synchronisation(desk):
    # the call returned 10 us into a gap of 400 us; the span is 600 us
    waited = call(995_000, 7, 1_110_000, name="cudaStreamSynchronize_v3020")
    document = two_kernels(desk, waited)
    row = finding(document, "NW501", "sync")
    assert row["title"] == "The GPU waits for the host after synchronising"
    assert row["message"] == (
        "The GPU had nothing to do for 400 µs (67 % of the span) until the host, back from "
        "cudaStreamSynchronize, launched again: 1 gap, median 400 µs, longest 400 µs. "
        "Most of it passed after the call had returned."
    )
    assert (row["saving_ns"], row["speedup_bound"]) == (400_000, pytest.approx(3))
    assert row["kernels"] == [by_name(document)["norm"]["id"]]
    assert "can't hold it" in row["advice"]


def test_the_same_in_chinese(desk):
    two_kernels(desk, call(995_000, 7, 1_110_000, name="cudaStreamSynchronize_v3020"))
    row = finding(desk.document("--lang", "zh"), "NW501")
    assert row["message"] == (
        "GPU 空等了 400 µs（占总跨度的 67 %），直到主机从 cudaStreamSynchronize 返回并再次启动："
        "1 段空隙，中位数 400 µs，最长 400 µs。大部分时间花在该调用返回之后。"
    )


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("cudaDeviceSynchronize_v3020", "sync"),
        ("cudaMemcpy_v3020", "copy"),
        ("cudaMalloc_v3020", "memory"),
    ],
)
def test_most_of_the_gap_inside_a_call_that_blocks(desk, name, key):
    row = finding(two_kernels(desk, call(1_000_000, 7, 1_450_000, name=name)), "NW501")
    assert (row["key"], row["saving_ns"]) == (key, 400_000)
    assert f"back from {name.partition('_')[0]}" in row["message"]
    assert row["message"].endswith("Most of it passed inside the call.")


def test_a_host_that_does_something_else(desk):
    row = finding(two_kernels(desk), "NW501")
    assert (row["key"], row["saving_ns"]) == ("host", 400_000)
    assert "without a call that blocks: 1 gap of more than 100 µs" in row["message"]


def test_a_launch_that_takes_long(desk):
    # called 50 us into the gap, and still in the call when the kernel begins: 350 of 400 us
    document = two_kernels(desk, launched_ns=1_150_000, launch_ns=360_000)
    row = finding(document, "NW501")
    assert (row["key"], row["saving_ns"]) == ("call", 400_000)
    assert "while cudaLaunchKernel took more than 100 µs to launch" in row["message"]


def test_a_kernel_that_was_launched_long_before(desk):
    row = finding(two_kernels(desk, launched_ns=1_001_000), "NW501")
    assert (row["key"], row["saving_ns"]) == ("queued", 400_000)
    assert "although the next kernel was launched already" in row["message"]


def test_gaps_below_a_hundredth_of_the_span_are_no_finding(desk):
    # 2 us of 202 us
    assert codes(two_kernels(desk, gap_ns=2_000)) == []


def test_without_api_calls_causes_are_not_known(desk):
    document = desk.report(desk.trace(kernels=series(DECODE, [2_000] * 100, gap_ns=5_000)))
    assert codes(document) == []
    reason = abstained(document, "NW501")
    assert "the API calls before 99 gaps (495 µs, 71 % of the span) are not in the trace" in reason


def test_counters_alone_know_of_no_gap(desk):
    counters = desk.counters(profiled("add(float *)", {"dram": 1000, "ncu_ns": 50}))
    document = desk.report(counters, options=("--hw", "a100"))
    assert "only known from the launches of a trace" in abstained(document, "NW501")


def test_launches_of_whole_graphs_are_not_captured_again(desk):
    graphs = [graph(1_010_000 + n * 10_000, 1_012_000 + n * 10_000) for n in range(20)]
    rows = [kernel(1_000_000, 1_002_000, DECODE, correlationId=1)]
    document = desk.report(desk.trace(kernels=rows, graphs=graphs, calls=[call(990_000, 1)]))
    assert codes(document) == []


def test_work_that_is_not_selected_is_no_kernel_of_the_finding(desk):
    # 400 us before norm, which is left out, then 400 us before the second gemm; 1000 us in all
    rows = [
        kernel(1_000_000, 1_100_000, "gemm(float *)", correlationId=1),
        kernel(1_500_000, 1_600_000, "norm(float *)", correlationId=2),
        kernel(2_000_000, 2_100_000, "gemm(float *)", correlationId=3),
    ]
    calls = [call(990_000, 1), call(1_495_000, 2), call(1_995_000, 3)]
    document = desk.report(desk.trace(kernels=rows, calls=calls), options=("--kernel", "gemm"))
    row = finding(document, "NW501")
    assert (row["key"], row["kernels"], row["saving_ns"]) == ("host", [0], 800_000)
    # one of the two launches of gemm
    assert row["time_ratio"] == pytest.approx(0.5)


def test_gaps_before_kernels_that_are_not_selected_are_no_stretch(desk):
    # 20 pairs of 1 us and 1 us with 5 us between; what is selected is 1 ms later
    rows = series(DECODE, [1_000] * 40, gap_ns=5_000)
    ends = [
        kernel(900_000, 901_000, "gemm(float *)"),
        kernel(1_300_000, 1_301_000, "gemm(float *)"),
    ]
    traced = with_calls(sorted([*rows, *ends], key=lambda row: row["start"]), lead_ns=100_000)
    document = desk.report(desk.trace(**traced), options=("--kernel", "gemm"))
    assert not [row for row in document["findings"] if row["key"] == "launch"]


def test_launches_of_the_same_kernel_on_a_stream_that_is_left_out_do_not_count(desk):
    # 2 launches of 1 us on stream 7; on stream 8 the same kernel every 20 us for 5 us
    rows = [kernel(n * 1_000_000, n * 1_000_000 + 1_000, DECODE, streamId=7) for n in (1, 2)]
    rows += [
        kernel(start, start + 5_000, DECODE, streamId=8)
        for start in range(1_020_000, 1_920_000, 20_000)
    ]
    rows.sort(key=lambda row: row["start"])
    document = desk.report(desk.trace(**with_calls(rows)), options=("--stream", "7"))
    assert document["totals"]["kernel_ns"] == 2_000
    assert all(row["time_ratio"] <= 1 for row in document["findings"])
    assert "225 µs of kernels" not in str(document["findings"])
