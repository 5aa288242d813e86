"""What `nsys-walls whatif` promises, worked out by hand."""

import pytest
from support.nsys_traces import A100
from support.pipeline import after, parse_strictly, profiled, series, shape

GEMM = "ampere_sgemm_128x64_nn"
NORM = "void at::native::vectorized_layer_norm_kernel<float, float>(int, float, const float *)"
ADD = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>(int, T2, T3)"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096>)"
#: One TB/s and ten TFLOP/s: 1 MB takes 1 us, and so do 10 MFLOP.
WALLS = ("--bandwidth", "1TB/s", "--peak", "fp32=10TFLOP/s")


def work(name, time_us, *, compute=0.0, bandwidth=0.0, **launch):
    """Profile a launch that reaches parts of both walls in its time in the trace."""
    counted = {
        "dram": round(bandwidth * time_us * 1e6),
        "ncu_ns": 1000 * time_us,
        "fp32": (round(compute * time_us * 1e7), 0, 0),
    }
    return profiled(name, counted, **launch)


def article(desk, **counted):
    """Trace 10 ms of kernels in 12.5 ms: a GEMM has 17 % at 60 % of its wall, a norm the rest."""
    rows = series(GEMM, [170_000] * 10)
    rows += series(NORM, [830_000] * 10, start=after(rows, gap_ns=2_410_000))
    launches = [
        work(GEMM, 170, compute=counted.get("gemm", 0.6)),
        work(NORM, 830, bandwidth=counted.get("norm", 0.9)),
    ]
    desk.ingest(desk.trace(kernels=rows), desk.counters(*launches))


def asked(desk, *options):
    """Ask as JSON; gives the document."""
    done = desk.type("whatif", *options, *WALLS, "--format", "json")
    assert done.code == 0, done.err
    document = parse_strictly(done.out)
    assert document["schema"] == "nsys-walls/whatif/1"
    return document


def saved(document):
    """Time that each kernel saves, by name."""
    return {row["name"]: row["saved_ns"] for row in document["kernels"]}


def flat(text):
    return " ".join(text.split())


# The bound ------------------------------------------------------------------------------


def test_gemms_of_17_percent_from_60_to_85_percent_give_5_percent(desk):
    article(desk)
    document = asked(desk, "--class", "gemm=85%")
    # 1.7 ms x 60 / 85 = 1.2 ms: 0.5 of 10 ms busy, and of 12.5 ms in all
    assert document["changes"] == ["--class gemm=85%"]
    assert saved(document) == {"ampere_sgemm_128x64_nn": pytest.approx(500_000)}
    assert document["busy_ns"] == {
        "before_ns": 10_000_000,
        "after_ns": pytest.approx(9_500_000),
        "saved_ratio": pytest.approx(0.05),
    }
    assert document["kernel_ns"] == document["busy_ns"]
    assert document["span_ns"]["before_ns"] == 12_500_000
    assert document["span_ns"]["saved_ratio"] == pytest.approx(0.04)
    assert document["speedup_bound"] == pytest.approx(10 / 9.5)


def test_the_answer_in_words_says_at_most(desk):
    article(desk)
    done = desk.type("whatif", "--class", "gemm=85%", *WALLS)
    assert (done.code, done.err) == (0, "")
    assert flat(done.out).startswith(
        "trace, --class gemm=85%: at most 5.0 % of busy time, 1.05 times as fast; "
        "at most 4.0 % of wall time."
    )
    assert (
        "busy time                                       10.0 ms    9.50 ms      5.0 %" in done.out
    )
    assert (
        "wall time, idle kept                            12.5 ms    12.0 ms      4.0 %" in done.out
    )
    assert (
        "ampere_sgemm_128x64_nn                          1.70 ms    1.20 ms     500 µs" in done.out
    )
    assert all(len(line) <= 80 for line in done.out.splitlines())


def test_kernels_that_overlap_save_no_more_than_the_device_was_busy(desk):
    # two streams: 1 ms of a GEMM each, at the same time; busy for 1 ms of 2 ms of kernel time
    rows = [row for stream in (7, 8) for row in series(GEMM, [1_000_000], streamId=stream)]
    desk.ingest(desk.trace(kernels=rows), desk.counters(work(GEMM, 1000, compute=0.3)))
    document = asked(desk, "--class", "gemm=75%")
    # each at 40 % of its time: 1.2 ms are saved, more than there was
    assert document["kernel_ns"]["after_ns"] == pytest.approx(800_000)
    assert document["busy_ns"] == {"before_ns": 1_000_000, "after_ns": 0, "saved_ratio": 1}
    assert document["speedup_bound"] is None
    text = flat(desk.type("whatif", "--class", "gemm=75%", *WALLS).out)
    assert "no busy time would be left" in text


def test_every_device_keeps_its_own_time(desk):
    other = A100 | {"id": 1, "cuda_ordinal": 1, "bus": "0000:42:00.0",
                    "uuid": "a1000000-0000-4000-8000-000000000002"}  # fmt: skip
    rows = series(GEMM, [1_000_000] * 2)
    rows += series(NORM, [1_000_000] * 2, deviceId=1)
    launches = [work(GEMM, 1000, compute=0.5), work(NORM, 1000, bandwidth=0.5)]
    desk.ingest(desk.trace(kernels=rows, gpus=[A100, other]), desk.counters(*launches))
    document = asked(desk, "--class", "gemm=100%")
    # 1 of 4 ms of both; the device of the norm is as busy as before
    assert document["devices"] == 2
    assert document["busy_ns"]["after_ns"] == pytest.approx(3_000_000)
    assert document["span_ns"]["before_ns"] == 2 * 2_005_000
    text = flat(desk.type("whatif", "--class", "gemm=100%", *WALLS).out)
    assert "time of 2 GPUs, idle kept" in text
    assert "of the time of all GPUs." in text


def test_without_launches_the_sum_stands_for_busy_time(desk):
    header = (
        "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"
    )
    row = f'100.0,1000000,10,100000.0,100000.0,100000,100000,0.0,"{GEMM}"'
    desk.ingest(desk.text("sums.csv", f"{header}\n{row}\n"))
    document = asked(desk, "--kernel", "sgemm=2x")
    assert document["busy_ns"]["after_ns"] == 500_000
    assert document["span_ns"] is None
    text = flat(desk.type("whatif", "--kernel", "sgemm=2x", *WALLS).out)
    assert "at most 50 % of busy time, 2.00 times as fast." in text


# Which kernels --------------------------------------------------------------------------


def test_kernels_by_name_run_so_many_times_as_fast(desk):
    article(desk)
    document = asked(desk, "--kernel", "layer_norm.*float=2x")
    assert saved(document) == {"vectorized_layer_norm_kernel": pytest.approx(4_150_000)}
    assert document["changes"] == ["--kernel layer_norm.*float=2x"]
    # at 90 % of its wall, half the time is less than its traffic takes
    assert document["kernels"][0]["beats_floor"]
    text = flat(desk.type("whatif", "--kernel", "layer_norm.*float=2x", *WALLS).out)
    assert "Faster than work and traffic allow: vectorized_layer_norm_kernel" in text


def test_an_expression_may_hold_an_equals_sign(desk):
    article(desk)
    assert asked(desk, "--kernel", "(?=.*sgemm)ampere=75%")["kernels"][0]["after_ns"] == (
        pytest.approx(1_360_000)
    )


def test_kernels_at_a_wall_reach_it(desk):
    article(desk)
    document = asked(desk, "--wall", "bandwidth=100%")
    # 8.3 ms x 90 %
    assert saved(document) == {"vectorized_layer_norm_kernel": pytest.approx(830_000)}


def test_of_two_changes_the_faster_one_counts(desk):
    article(desk)
    document = asked(desk, "--class", "gemm=100%", "--kernel", "sgemm=1.25x")
    assert saved(document) == {"ampere_sgemm_128x64_nn": pytest.approx(680_000)}
    document = asked(desk, "--class", "gemm=100%", "--kernel", "sgemm=4x")
    assert saved(document) == {"ampere_sgemm_128x64_nn": pytest.approx(1_275_000)}
    assert len(document["changes"]) == 2


def test_kernels_that_are_there_already_stay(desk):
    article(desk, gemm=0.9)
    document = asked(desk, "--class", "gemm=85%")
    assert document["kernels"] == []
    (row,) = document["unchanged"]
    assert row["reason"] == "it reaches 90 % of its wall already"
    assert document["busy_ns"]["saved_ratio"] == 0
    text = flat(desk.type("whatif", "--class", "gemm=85%", *WALLS).out)
    assert "trace, --class gemm=85%: nothing would be saved." in text
    assert "! Unchanged: ampere_sgemm_128x64_nn: it reaches 90 % of its wall already." in text


def test_one_slow_launch_does_not_lift_a_kernel_above_its_goal(desk):
    # nine at 90 % and one ten times as slow: a typical launch is where it should be
    rows = series(GEMM, [100_000] * 9 + [1_000_000])
    desk.ingest(desk.trace(kernels=rows), desk.counters(work(GEMM, 100, compute=0.9)))
    assert asked(desk, "--class", "gemm=85%")["kernels"] == []


def test_kernels_without_a_floor_are_named(desk):
    rows = series(ADD, [100_000] * 4)
    for grid in range(2, 6):
        rows += series(ADD, [10_000] * 4, start=after(rows), **shape((grid, 1, 1)))
    rows += series(ALL_REDUCE, [100_000] * 4, start=after(rows))
    desk.ingest(desk.trace(kernels=rows), desk.counters(work(ADD, 100, bandwidth=0.5)))
    document = asked(desk, "--kernel", ".=100%")
    assert [row["saved_ns"] for row in document["kernels"]] == [pytest.approx(200_000)]
    assert len(document["unchanged"]) == 5
    text = flat(desk.type("whatif", "--kernel", ".=100%", *WALLS).out)
    assert "and 1 more kernel: no floor is known: profiled at another launch shape only" in text
    assert "a collective has no floor: it waits for its partners" in text


def test_a_floor_of_which_a_part_is_unknown_is_marked(desk):
    counted = profiled(ADD, {"dram": 50_000_000})
    desk.ingest(desk.trace(kernels=series(ADD, [100_000] * 4)), desk.counters(counted))
    document = asked(desk, "--kernel", "add=100%")
    assert document["kernels"][0]["floor_is_partial"]
    text = flat(desk.type("whatif", "--kernel", "add=100%", *WALLS).out)
    assert "Bytes or FLOP are not known of vectorized_elementwise_kernel<CUDAFunctor_add>" in text


def test_kernels_that_wait_are_named_where_they_are_to_reach_a_wall(desk):
    # both at 30 % of the bandwidth wall; only ADD's chip was busy with next to nothing
    idle = {"sm__throughput.avg.pct_of_peak_sustained_elapsed": 12,
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": 30}  # fmt: skip
    rows = series(ADD, [100_000] * 4)
    rows += series(NORM, [100_000] * 4, start=after(rows))
    waiting = profiled(ADD, {"dram": 30_000_000, "fp32": (0, 0, 0), **idle})
    desk.ingest(desk.trace(kernels=rows), desk.counters(waiting, work(NORM, 100, bandwidth=0.3)))
    document = asked(desk, "--wall", "latency=60%", "--kernel", "layer_norm=60%")
    assert {row["name"]: row["held_by_latency"] for row in document["kernels"]} == {
        "vectorized_elementwise_kernel<CUDAFunctor_add>": True,
        "vectorized_layer_norm_kernel": False,
    }
    text = flat(desk.type("whatif", "--wall", "latency=60%", *WALLS).out)
    # 4 x (100 - 30 / 0.6) us
    assert "Held back by latency, 200 µs of what is saved: vectorized_elementwise_kernel" in text
    # how much faster its code is to be is the user's own supposition
    twice = asked(desk, "--wall", "latency=2x")
    assert not twice["kernels"][0]["held_by_latency"]


@pytest.mark.parametrize(
    ("counted", "reason"),
    [
        ({"dram": 0, "fp32": (0, 0, 0)}, "its work and DRAM traffic are 0"),
        ({"ncu_ns": 1000}, "no floor is known"),
    ],
)
def test_a_kernel_without_work_has_no_floor(desk, counted, reason):
    rows = series(ADD, [100_000] * 4)
    desk.ingest(desk.trace(kernels=rows), desk.counters(profiled(ADD, counted)))
    (row,) = asked(desk, "--kernel", "add=100%")["unchanged"]
    assert row["reason"].startswith(reason)


def test_a_kernel_without_time_stays(desk):
    rows = series(ADD, [0] * 4) + series(NORM, [100_000], start=9_000_000)
    desk.ingest(desk.trace(kernels=rows))
    (row,) = asked(desk, "--kernel", "add=2x")["unchanged"]
    assert row["reason"] == "its time is not known"


# Mistakes -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "slug", "said"),
    [
        (["--class", "attention=85%"], "no-such-class", "there are: norm (83 %), gemm (17 %)"),
        (["--wall", "latency=85%"], "no-such-wall", "there are: bandwidth (83 %), compute (17 %)"),
        (["--kernel", "segmm_128x64=2x"], "no-such-kernel",
         "the nearest are: ampere_sgemm_128x64_nn"),
        (["--kernel", "^zzz$=2x"], "no-such-kernel",
         "the heaviest are: vectorized_layer_norm_kernel, ampere_sgemm_128x64_nn"),
        (["--fuse", "chain-1"], "no-such-chain", "there are: none"),
        ([], "no-change", "--class, --kernel, --wall or --fuse"),
        (["--class", "gemm"], "option-value", "gemm=85%"),
        (["--class", "=85%"], "option-value", "gemm=85%"),
        (["--class", "gemm=0%"], "option-value", "at most 100%"),
        (["--class", "gemm=120%"], "option-value", "at most 100%"),
        (["--class", "gemm=85"], "option-value", "at most 100%"),
        (["--kernel", "norm=1x"], "option-value", "more than 1x"),
        (["--kernel", "norm=infx"], "option-value", "more than 1x"),
        (["--kernel", "norm=fast"], "option-value", "softmax=85%"),
        (["--kernel", "norm(=2x"], "option-value", "no regular expression"),
        (["--class", "gemm=85%", "--format", "md"], "unknown-format-name", "text, json"),
    ],
)  # fmt: skip
def test_what_fits_nothing_is_one_line_and_says_what_there_is(desk, options, slug, said):
    article(desk)
    done = desk.type("whatif", *options, *WALLS)
    assert (done.code, done.out, done.slugs) == (2, "", [slug])
    assert said in done.err


def test_a_run_without_kernel_time_has_nothing_to_save(desk):
    desk.ingest(desk.counters(profiled(GEMM, {"dram": 1000})))
    document = asked(desk, "--class", "gemm=85%")
    assert document["busy_ns"] == {"before_ns": 0, "after_ns": 0, "saved_ratio": 0}


def test_warnings_go_to_stderr_and_an_answer_to_a_file(desk):
    article(desk, norm=1.5)
    done = desk.type("whatif", "--class", "gemm=85%", *WALLS, "-o", "answer.txt")
    assert done.slugs == ["above-bandwidth-wall"]
    assert done.out == "written: answer.txt\n"
    assert "at most 5.0 %" in (desk.folder / "answer.txt").read_text("utf-8")


def test_a_part_of_a_run_is_asked_about_alone(desk):
    article(desk)
    # the GEMMs run in the first 1.745 ms, and a norm begins after 4.155 ms
    document = asked(desk, "--class", "gemm=85%", "--window", "0s:0.004s")
    assert document["busy_ns"]["before_ns"] == 1_700_000
    assert document["busy_ns"]["saved_ratio"] == pytest.approx(1 - 0.6 / 0.85)
