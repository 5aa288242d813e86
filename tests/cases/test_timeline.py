"""All of the GPU's time: overlapping ranges, trees, filters, copies, idle time, ranks, samples."""

import pytest
from support.nsys_traces import (
    A100,
    MICROSECOND,
    call,
    copy,
    execute,
    fill,
    global_pid,
    global_tid,
    graph,
    kernel,
    nvtx,
)
from support.pipeline import (
    Desk,
    by_name,
    profiled,
    ranges,
    series,
    warned,
    with_calls,
)

ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
OLD_ALL_REDUCE = "ncclKernel_AllReduce_RING_LL_Sum_half(ncclWorkElem)"


# Ranges ---------------------------------------------------------------------------------


def test_a_launch_in_two_overlapping_requests_counts_in_both_and_is_marked(desk):
    # two requests on one thread that overlap from 1.4 to 1.9 ms without nesting
    rows = [
        kernel(1_130_000, 1_350_000, "attn(float *)"),  # in the first alone: 220 us
        kernel(1_530_000, 1_690_000, "mlp(float *)"),  # in both: 160 us
        kernel(2_130_000, 2_210_000, "mlp(float *)"),  # in the second alone: 80 us
    ]
    document = desk.report(
        desk.trace(
            **with_calls(rows, lead_ns=30_000),
            nvtx=[
                nvtx(1_000_000, 1_900_000, "request-a", kind=60),
                nvtx(1_400_000, 2_400_000, "request-b", kind=60),
            ],
        )
    )
    assert ranges(document) == {"request-a": 380_000, "request-b": 240_000}
    shared = {row["name"]: row["shared_time_ns"] for row in document["ranges"]}
    assert shared == {"request-a": 160_000, "request-b": 160_000}
    own = {row["name"]: row["self_time_ns"] for row in document["ranges"]}
    assert own == {"request-a": 220_000, "request-b": 240_000}
    assert document["totals"]["kernel_ns"] == 460_000
    assert "1 of 2 NVTX ranges" in warned(document, "overlapping-ranges")
    for name in ("request-a", "request-b"):
        part = desk.document("--nvtx", name)
        assert part["totals"]["kernel_ns"] == ranges(document)[name]


def test_a_range_in_one_of_two_overlapping_requests_lies_in_both(desk):
    # a layer inside the second request, while the first is still open
    row = kernel(1_530_000, 1_690_000, "mlp(float *)")
    document = desk.report(
        desk.trace(
            **with_calls([row], lead_ns=30_000),
            nvtx=[
                nvtx(1_000_000, 1_900_000, "request-a", kind=60),
                nvtx(1_400_000, 2_400_000, "request-b", kind=60),
                nvtx(1_450_000, 1_800_000, "layer"),
            ],
        )
    )
    assert ranges(document) == {"request-a": 160_000, "request-b": 160_000, "layer": 160_000}
    tree = [(row["depth"], row["name"]) for row in document["range_tree"] if row["launches"]]
    assert tree == [(0, "request-b"), (1, "layer")]


def phases(desk, name="trace.sqlite"):
    """Trace a prefill and two decode steps with two layers each; GEMM 300 us, norm 40 us.

    Prefill has its GEMM twice as long. Outside of all of it is one copy kernel of 25 us.
    """
    kernels, nvtx_rows, start = [], [], 1_000_000
    for step in ("prefill", "decode", "decode"):
        begun = start
        for layer in range(2):
            nvtx_rows.append(nvtx(start, start + 500_000, f"layer {layer}"))
            gemm_ns = 600_000 if step == "prefill" else 300_000
            kernels += [
                kernel(start + 50_000, start + 50_000 + gemm_ns, "gemm(float *)"),
                kernel(start + 720_000, start + 760_000, "rms_norm(float *)", streamId=9),
            ]
            start += 800_000
        nvtx_rows.append(nvtx(begun, start - 10_000, step))
    kernels.append(kernel(start + 50_000, start + 75_000, "copy_kernel(float *)"))
    numbered = [row | {"correlationId": 100 + n} for n, row in enumerate(kernels)]
    # every launch is called inside its layer, though it runs long behind it
    calls = [call(row["start"] // 800_000 * 800_000 + 200_000 + 400 * n, row["correlationId"])
             for n, row in enumerate(numbered)]  # fmt: skip
    for n, row in enumerate(numbered[:-1]):
        layer_start = 1_000_000 + n // 2 * 800_000
        calls[n] = call(layer_start + 10_000 + n % 2 * 5_000, row["correlationId"])
    calls[-1] = call(start + 20_000, numbered[-1]["correlationId"])
    return desk.trace(name=name, kernels=numbered, calls=calls, nvtx=nvtx_rows)


def test_ranges_are_a_tree_of_paths(desk):
    document = desk.report(phases(desk))
    tree = [
        (row["depth"], row["name"], row["launches"], row["time_ns"], row["self_time_ns"])
        for row in document["range_tree"]
    ]
    # decode: 2 steps x 2 layers x 340 us; prefill: 2 layers x 640 us
    assert tree == [
        (0, "decode", 8, 1_360_000, 0),
        (1, "layer 0", 4, 680_000, 680_000),
        (1, "layer 1", 4, 680_000, 680_000),
        (0, "prefill", 4, 1_280_000, 0),
        (1, "layer 0", 2, 640_000, 640_000),
        (1, "layer 1", 2, 640_000, 640_000),
    ]
    parents = [row["parent"] for row in document["range_tree"]]
    assert parents == [None, 0, 0, None, 3, 3]
    assert document["range_nodes"] == 6
    assert ranges(document)["(outside)"] == 25_000
    # 4 x 300 us of the GEMM in decode's layers, 2 x 600 us in prefill's; half in each layer
    assert by_name(document)["gemm"]["range"] in {"layer 0", "layer 1"}
    assert by_name(document)["copy_kernel"]["range"] is None


# Filters --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "launches", "kernel_ns"),
    [
        (["--nvtx", "decode"], 8, 1_360_000),
        (["--nvtx", "layer ?"], 12, 2_640_000),
        (["--nvtx", "layer 1", "--nvtx", "pre*"], 8, 1_280_000 + 680_000),
        (["--stream", "9"], 6, 240_000),
        (["--kernel", "^rms_norm\\("], 6, 240_000),
        (["--nvtx", "decode", "--kernel", "gemm"], 4, 1_200_000),
        # work starts at 1.05 ms and ends at 5.875 ms; the prefill's last starts at 2.52 ms
        (["--window", "0:2.55ms"], 4, 1_280_000),
        (["--window", "2550us:"], 9, 1_385_000),
        (["--window", ".00255:5.8ms"], 8, 1_360_000),
        # 33 % of 4.825 ms behind 1.05 ms are 2.64 ms
        (["--window", ":33%"], 4, 1_280_000),
        (["--device", "0"], 13, 2_665_000),
    ],
)
def test_a_filter_shows_its_part(desk, options, launches, kernel_ns):
    document = desk.report(phases(desk), options=options)
    assert document["totals"]["launches"] == launches
    assert document["totals"]["kernel_ns"] == kernel_ns
    assert document["selection"] is not None


def test_a_filter_does_not_call_other_work_idle(desk):
    document = desk.report(phases(desk), options=["--kernel", "rms_norm"])
    totals = document["totals"]
    # from 1.72 to 5.76 ms: 6 x 40 us of its own; GEMMs 600 us, then 4 x 300 us
    assert totals["span_ns"] == 4_040_000
    assert totals["busy_ns"] == 240_000
    assert totals["other_ns"] == 1_800_000
    assert totals["idle_ns"] == 2_000_000
    assert desk.render("text", "--kernel", "rms_norm").count("other work 45 %") == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--nvtx", "Decode"], "'Decode' selects no NVTX ranges; there are: decode, "),
        (["--window", "9s:10s"], "selects no times; there are: 0.00105s:0.005875s"),
        (["--device", "4"], "--device 4 selects no devices; there are: 0."),
        (["--stream", "3"], "--stream 3 selects no streams; there are: 7, 9."),
        (["--kernel", "conv"], "selects no kernels; there are: gemm(float *), rms_norm(float *)"),
        (["--nvtx", "prefill", "--kernel", "copy_kernel"],
         "selects no launches; there are: times 0.00105s:0.005875s"),
        (["--kernel", "("], "is no regular expression"),
        (["--window", "5"], "is no window"),
        (["--window", ":"], "is no window"),
        (["--window", "2s:1s"], "is no window"),
        (["--window", "1s:2x"], "is no window"),
        (["--window", "50%:50%"], "is no window"),
        (["--window", "101%:"], "is no window"),
        (["--window", "1:2:3"], "is no window"),
    ],
)  # fmt: skip
def test_an_empty_selection_says_what_exists(desk, options, told):
    desk.ingest(phases(desk))
    done = desk.type("report", "-o", "-", *options)
    assert done.code == 2
    assert told in done.err
    assert len(done.err.splitlines()) == 1
    assert done.slugs[0] in {"empty-selection", "option-value"}


def test_a_trace_without_ranges_says_so(desk):
    desk.ingest(desk.trace(kernels=[kernel()]))
    done = desk.type("report", "--nvtx", "decode")
    assert (done.code, done.slugs) == (2, ["empty-selection"])
    assert "this run has no NVTX ranges" in done.err


def test_counters_still_pair_launch_by_launch_in_a_part_of_a_run(desk):
    # 3 launches, all profiled, each with its own bytes: 155,520 B need 100 us at 1,555.2 GB/s
    rows = series("gather(float *)", [300_000, 200_000, 400_000], start=1_000_000, gap_ns=100_000)
    counters = desk.counters(
        *(profiled("gather(float *)", {"dram": 155_520_000 * part, "fp32": (0, 0, 0)})
          for part in (1, 2, 3))
    )  # fmt: skip
    whole = desk.report(desk.trace(kernels=rows), counters)
    # floors 100, 200 and 300 us: 200 + 0 + 100
    assert by_name(whole)["gather"]["recoverable_ns"] == pytest.approx(300_000)
    part = desk.document("--window", "1.35ms:")
    row = by_name(part)["gather"]
    assert row["match"]["level"] == "launch"
    # the launches of 200 and 400 us: 0 + 100
    assert (row["launches"], row["recoverable_ns"]) == (2, pytest.approx(100_000))


def test_what_counters_fit_does_not_depend_on_a_filter(desk):
    # ncu prints both names alike: also where one is out of sight, nobody knows which it counted
    rows = [
        *series("void scale<(int)1>(float *)", [50_000] * 2),
        *series("void scale<(bool)1>(float *)", [90_000] * 2, start=9_000_000),
    ]
    counters = desk.counters(profiled("void scale<1>(float *)", {"dram": 1e6, "fp32": (0, 0, 0)}))
    whole = desk.report(desk.trace(kernels=rows), counters)
    part = desk.document("--window", "5ms:")
    assert [row["match"]["level"] for row in whole["kernels"]] == ["ambiguous", "ambiguous"]
    assert [row["match"]["level"] for row in part["kernels"]] == ["ambiguous"]


def test_a_kernel_that_runs_into_a_window_is_no_idle_time(desk):
    # 0 to 100 ms on stream 8; in the window from 50 to 60 ms ten of 100 us, one every ms
    long = kernel(0, 100_000_000, "longk(int)", streamId=8)
    small = [
        kernel(start, start + 100_000, "small(int)")
        for start in range(50_000_000, 60_000_000, 1_000_000)
    ]
    document = desk.report(desk.trace(kernels=[long, *small]), options=("--window", "50ms:60ms"))
    totals = document["totals"]
    assert [row["name"] for row in document["kernels"]] == ["small"]
    assert (totals["span_ns"], totals["busy_ns"]) == (9_100_000, 1_000_000)
    assert (totals["other_ns"], totals["idle_ns"]) == (8_100_000, 0)
    assert document["idle"]["by_cause"] == []


def test_counters_alone_can_be_chosen_by_name_and_device(desk):
    counters = desk.counters(
        profiled("saxpy(float *)", {"dram": 1e6, "ncu_ns": 900, "fp32": (0, 0, 0)}),
        profiled("gemm(float *)", {"dram": 1e6, "ncu_ns": 900, "fp32": (0, 0, 9e6)}),
    )
    document = desk.report(counters, options=("--hw", "a100", "--kernel", "saxpy"))
    assert [row["name"] for row in document["kernels"]] == ["saxpy"]
    done = desk.type("report", "--hw", "a100", "--kernel", "conv")
    assert "there are: saxpy(float *), gemm(float *)" in done.err


# Copies and idle time -------------------------------------------------------------------


def test_copies_have_rates_and_walls(desk):
    # PCIe 4.0 x16 of an A100: 31.508 GB/s; DRAM 1,555.2 GB/s
    document = desk.report(
        desk.trace(
            kernels=[kernel(1_000_000, 1_400_000)],
            copies=[
                copy(2_000_000, 3_000_000, 15_754_000, srcKind=0),
                copy(4_000_000, 4_500_000, 7_877_000, srcKind=0),
                copy(5_000_000, 5_100_000, 77_760_000, kind=8, srcKind=2),
                copy(1_300_000, 1_500_000, 1_000_000, kind=2, srcKind=2, dstKind=1),
            ],
            fills=[fill(6_000_000, 6_100_000, 77_760_000)],
        )
    )
    rows = {row["operation"]: row for row in document["copies"]}
    to_device = rows["host_to_device"]
    assert (to_device["source_memory"], to_device["copies"]) == ("pageable", 2)
    assert to_device["bytes_per_s"] == pytest.approx(15.754e9)
    assert (to_device["wall"], to_device["wall_ratio"]) == ("pcie", pytest.approx(0.5, rel=1e-3))
    assert to_device["hidden_ns"] == 0
    # read and write: 2 x 77.76 MB in 100 us = 1,555.2 GB/s
    inside = rows["device_to_device"]
    assert (inside["wall"], inside["traffic_bytes"]) == ("dram", 155_520_000)
    assert inside["wall_ratio"] == pytest.approx(1, rel=1e-3)
    assert rows["memset"]["wall_ratio"] == pytest.approx(0.5, rel=1e-3)
    # 100 of its 200 us under the kernel
    assert rows["device_to_host"]["hidden_ns"] == 100_000


def test_idle_time_has_causes(desk):
    kernels = [
        kernel(1_000_000, 1_100_000, correlationId=1),
        kernel(1_110_000, 1_200_000, correlationId=2),
        kernel(1_500_000, 1_600_000, correlationId=3),
        kernel(2_600_000, 2_700_000, correlationId=4),
    ]
    calls = [
        call(990_000, 1),
        call(1_050_000, 2),  # before the gap of 10 us
        call(1_205_000, 900, 1_440_000, name="cudaDeviceSynchronize_v3020"),
        call(1_490_000, 3),  # 240 of 290 us in the call
        call(2_590_000, 4),  # 1 ms later, and no call between
    ]
    document = desk.report(desk.trace(kernels=kernels, calls=calls))
    found = {(row["cause"], row["call"]): row["time_ns"] for row in document["idle"]["by_cause"]}
    assert found == {
        ("queued", None): 10_000,
        ("sync", "cudaDeviceSynchronize"): 300_000,
        ("host", None): 1_000_000,
    }
    assert sum(found.values()) == document["totals"]["idle_ns"]
    longest = document["idle"]["longest"][0]
    assert (longest["start_ns"], longest["duration_ns"]) == (1_600_000, 1_000_000)


def test_graphs_traced_as_one_row_hide_their_kernels(desk):
    document = desk.report(
        desk.trace(
            kernels=[kernel(1_000_000, 1_100_000)],
            graphs=[graph(1_200_000, 1_650_000), graph(1_700_000, 1_950_000)],
        )
    )
    assert document["totals"]["graph_hidden_ns"] == 700_000
    assert document["totals"]["busy_ns"] == 800_000
    assert "--cuda-graph-trace=node" in warned(document, "graph-hidden")


def test_a_trace_with_nothing_but_graphs_is_a_trace(desk):
    path = desk.trace(
        kernels=[],
        graphs=[graph(1_000_000, 2_000_000), graph(6_000_000, 7_000_000, streamId=9)],
        copies=[copy(3_000_000, 3_500_000, 1_000_000)],
    )
    document = desk.report(path)
    totals = document["totals"]
    assert (totals["busy_ns"], totals["copy_ns"], totals["idle_ns"]) == (
        2_000_000, 500_000, 3_500_000
    )  # fmt: skip
    assert sum(row["time_ns"] for row in document["idle"]["by_cause"]) == 3_500_000
    assert [row["operation"] for row in document["copies"]] == ["host_to_device"]
    assert "counters-only" not in [row["code"] for row in document["warnings"]]
    part = desk.document("--stream", "9")
    assert part["totals"]["busy_ns"] == 1_000_000
    assert desk.document("--window", "5ms:")["totals"]["busy_ns"] == 1_000_000


# Ranks ----------------------------------------------------------------------------------


def test_a_collective_that_waited_is_no_work(desk):
    # 40 all-reduces of 12 us, one that waited 9 s, an old name; 40 GEMMs of 700 us
    rows, start = [], 1_000_000
    for n in range(40):
        rows += [
            kernel(start, start + 700_000, "moe_gemm(float *)"),
            kernel(start + 705_000, start + 717_000, ALL_REDUCE, streamId=13),
        ]
        start += 720_000
        if n == 20:
            rows.append(kernel(start, start + 9_000_000_000, ALL_REDUCE, streamId=13))
            start += 9_000_001_000
    rows.append(kernel(start, start + 30_000, OLD_ALL_REDUCE, streamId=13))
    document = desk.report(desk.trace(kernels=rows))
    assert document["totals"]["communication_ns"] == 9_000_000_000 + 40 * 12_000 + 30_000
    (collective,) = document["communication"]
    assert (collective["class"], collective["launches"]) == ("comm_allreduce", 42)
    assert collective["waiting_ns"] is None
    assert collective["slow"]["launches"] == 1
    assert collective["slow"]["median_ns"] == 12_000
    message = warned(document, "slow-collective")
    assert "1 of 41 launches took 9.00 s" in message
    assert "not work of the GPU" in message
    assert by_name(document)["moe_gemm"]["wall"] == "unmeasured"


def rank(desk, number, gemm_us, wait_us):
    """Trace one rank of two: 3 steps of a GEMM and an all-reduce, on a GPU of its own."""
    rows, start = [], 5_000_000 + number * 123_456_789
    for gemm, wait in zip(gemm_us, wait_us, strict=True):
        rows.append(kernel(start, start + gemm * MICROSECOND, "gemm(float *)"))
        start += gemm * MICROSECOND + 2_000
        rows.append(kernel(start, start + wait * MICROSECOND, ALL_REDUCE))
        start += wait * MICROSECOND + 2_000
    gpu = A100 | {"uuid": f"a1000000-0000-4000-8000-00000000000{number}"}
    pid = 5000 + number
    rows = [row | {"globalPid": global_pid(pid)} for row in rows]
    return desk.trace(name=f"rank{number}.sqlite", kernels=rows, gpus=[gpu])


def test_every_file_is_a_rank_and_their_spread_is_told(desk):
    first = rank(desk, 0, [500, 500, 500], [30, 30, 30])
    second = rank(desk, 1, [400, 450, 500], [130, 80, 30])
    desk.ingest(first, second)
    assert desk.runs() == ["rank0"]
    document = desk.document()
    ranks = document["ranks"]
    files = [document["run"]["sources"][row["source"]]["file"] for row in ranks]
    assert files == ["rank0.sqlite", "rank1.sqlite"]
    assert [row["device"] for row in ranks] == [0, 1]
    assert [row["kernel_ns"] for row in ranks] == [1_590_000, 1_590_000]
    assert [row["communication_ns"] for row in ranks] == [90_000, 240_000]
    # the fastest of each collective took 30 us: the second rank waited 100 + 50 + 0 us
    assert [row["waiting_ns"] for row in ranks] == [0, 150_000]
    (collective,) = document["communication"]
    assert (collective["ranks"], collective["waiting_ns"]) == (2, 150_000)
    assert document["rank_spread"]["kernel_ns"] == 0
    # each has 5 gaps of 2 us
    assert document["rank_spread"]["idle_ns"] == 0
    assert "of which 150 µs waiting" in desk.render("text")


def test_waiting_does_not_depend_on_what_is_shown(desk):
    # in lock-step, 50 us and 5 ms in turns; rank 1 begins with a kernel of its own
    for number in range(2):
        gemm = [100] * 8 if number == 0 else [20_000, *[100] * 7]
        rank(desk, number, gemm, [50, 5_000] * 4)
    desk.ingest("rank0.sqlite", "rank1.sqlite")
    assert desk.document()["communication"][0]["waiting_ns"] == 0
    for window in ("10%:60%", "30%:", ":70%"):
        (row,) = desk.document("--window", window)["communication"]
        assert row["waiting_ns"] == 0


def test_collectives_of_ranks_that_never_meet_are_no_waiting(desk):
    # one file, one clock: the pairs are a millisecond apart, so they exchange with no one here
    rows = [
        kernel(start + n * 1_000_000, start + n * 1_000_000 + 50_000 * (n + 1), ALL_REDUCE,
               deviceId=n, globalPid=global_pid(4242 + n))
        for start in range(1_000_000, 90_000_000, 4_000_000)
        for n in range(2)
    ]  # fmt: skip
    second = A100 | {"id": 1, "cuda_ordinal": 1, "bus": "0000:42:00.0",
                     "uuid": "a1000000-0000-4000-8000-000000000002"}  # fmt: skip
    document = desk.report(desk.trace(kernels=rows, gpus=[A100, second]))
    assert document["communication"][0]["waiting_ns"] is None


def test_ranks_are_in_the_natural_order_of_their_files(desk):
    for number in (10, 2):
        rank(desk, number % 9, [500], [30]).rename(desk.folder / f"rank{number}.sqlite")
    document = desk.report("rank10.sqlite", "rank2.sqlite")
    files = [document["run"]["sources"][row["source"]]["file"] for row in document["ranks"]]
    assert files == ["rank2.sqlite", "rank10.sqlite"]
    assert [row["device"] for row in document["ranks"]] == [0, 1]


def test_two_processes_in_one_file_are_two_ranks(desk):
    pids = (4242, 5353)
    rows = [
        kernel(1_000_000 + n * 1000, 1_200_000 + n * 1000, "gemm(float *)", deviceId=n,
               globalPid=global_pid(pid), correlationId=7)
        for n, pid in enumerate(pids)
    ]  # fmt: skip
    calls = [call(900_000, 7, thread=global_tid(pid)) for pid in pids]
    inside = [nvtx(890_000, 950_000, f"of {pid}", thread=global_tid(pid)) for pid in pids]
    second = A100 | {"id": 1, "cuda_ordinal": 1, "bus": "0000:42:00.0",
                     "uuid": "a1000000-0000-4000-8000-000000000002"}  # fmt: skip
    document = desk.report(desk.trace(kernels=rows, calls=calls, nvtx=inside, gpus=[A100, second]))
    assert [(row["rank"], row["device"]) for row in document["ranks"]] == [(0, 0), (1, 1)]
    assert ranges(document) == {"of 4242": 200_000, "of 5353": 200_000}


# Samples --------------------------------------------------------------------------------


def with_samples(path, names, rows):
    """Add tables of sampled GPU metrics; GPU 0."""
    execute(
        path,
        "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER, typeName TEXT, "
        "metricId INTEGER, metricName TEXT)",
        "CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER, typeId INTEGER, "
        "metricId INTEGER, value INTEGER)",
        *(f"INSERT INTO TARGET_INFO_GPU_METRICS VALUES (256, 0, 'A', {n}, '{name}')"  # noqa: S608
          for n, name in enumerate(names)),
        *(f"INSERT INTO GPU_METRICS VALUES (0, {time}, 256, {n}, {value})"  # noqa: S608
          for time, values in rows for n, value in enumerate(values)),
    )  # fmt: skip
    return path


def test_samples_give_a_kernel_without_counters_a_measured_bandwidth(desk):
    # a sample every 100 us; a kernel of 2 ms, one of 90 us, and two that overlap
    path = desk.trace(
        kernels=[
            kernel(1_000_000, 3_000_000, "stream_copy(float *)"),
            kernel(3_200_000, 3_290_000, "tiny(float *)"),
            kernel(4_000_000, 6_000_000, "left(float *)"),
            kernel(4_000_000, 6_000_000, "right(float *)", streamId=9),
        ]
    )
    names = (
        "DRAM Read Bandwidth [Throughput %]", "DRAM Write Bandwidth [Throughput %]",
        "SMs Active [Throughput %]",
    )  # fmt: skip
    times = range(1_000_000, 6_000_001, 100_000)
    with_samples(path, names, [(time, (45, 40, 90)) for time in times])
    document = desk.report(path)
    rows = by_name(document)
    sampled = rows["stream_copy"]["sampled"]
    # 1.1 to 2.9 ms: whole periods before and behind
    assert sampled["samples"] == 19
    assert (sampled["dram_read_ratio"], sampled["dram_write_ratio"]) == (0.45, 0.40)
    assert sampled["sm_active_ratio"] == 0.9
    assert sampled["tensor_active_ratio"] is None
    # 85 % of 1,555.2 GB/s
    assert rows["stream_copy"]["bytes_per_s"] == pytest.approx(1321.92e9)
    assert rows["stream_copy"]["bandwidth_ratio"] == pytest.approx(0.85)
    assert rows["stream_copy"]["wall"] == "bandwidth"
    assert "sampled" in rows["stream_copy"]["notes"][0]
    assert rows["stream_copy"]["dram_bytes"] is None
    assert document["totals"]["measured_time_ratio"] == 0
    # too short, and not alone
    assert rows["tiny"]["sampled"] is rows["left"]["sampled"] is rows["right"]["sampled"] is None
    (device,) = document["sampling"]
    assert (device["samples"], device["attributed"], device["shared"]) == (51, 19, 21)


def test_a_desk_without_filters_shows_everything(desk: Desk):
    assert desk.report(phases(desk))["selection"] is None
