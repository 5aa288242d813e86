"""NW301: what the best kernels of the heaviest compute-side class are worth."""

import json

import pytest
from support.findings import MEMORY, SM, K, finding, found, reasons, run_of
from support.pipeline import after, profiled, series, shape

from nsys_walls.findings import find_all
from nsys_walls.findings.best_case_of_class import RULE

GEMM = "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn"
FP16_OPS = "sm__ops_path_tensor_src_fp16_dst_fp32.sum"
ADD = "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>(int, T2, T3)"


@pytest.fixture
def document(desk):
    """GEMM at 60 % of its wall is 17 % of the span, additions at 80 % of bandwidth the rest."""
    rows = series(GEMM, [17_000] * 10, gap_ns=0, **shape((128, 2, 1)))
    rows += series(ADD, [83_000] * 10, start=after(rows, 0), gap_ns=0, **shape((4096, 1, 1)))
    counters = desk.counters(
        # 0.6 x 17,000 ns x 312,000 FLOP/ns
        profiled(GEMM, {"dram": 1_000_000, FP16_OPS: 3_182_400_000, "fp32": (0, 0, 0)}),
        # 0.8 x 83,000 ns x 1,555.2 B/ns
        profiled(ADD, {"dram": 103_265_280, "fp32": (1_000_000, 0, 0)}, grid=(4096, 1, 1)),
    )
    return desk.report(desk.trace(kernels=rows), counters)


def test_gemm_from_60_to_85_percent_is_worth_5_percent_where_it_is_17(document):
    # 17 % x (1 - 60 / 85) = 5.0 %, 17 % x (1 - 60 / 100) = 6.8 %
    row = finding(document, "NW301")
    assert row["title"] == "gemm at 85 % of its walls is worth 5.0 % end to end"
    assert row["message"] == (
        "gemm takes 170 µs, 17 % of kernel time, and reaches 60 % of its walls on average. "
        "At 85 % it would take 120 µs, which saves at most 50.0 µs, 5.0 % end to end; "
        "at 100 %, which no kernel reaches, 102 µs, which saves at most 68.0 µs, 6.8 % end to end."
    )
    assert "`nsys-walls whatif trace --class gemm=85%`" in row["advice"]
    assert row["evidence"]["saving_at_85_percent_ns"] == pytest.approx(50_000)
    assert row["evidence"]["saving_at_100_percent_ns"] == pytest.approx(68_000)
    # all of it speaks of 85 %
    assert row["saving_ns"] == pytest.approx(50_000)
    assert row["speedup_bound"] == pytest.approx(1 / 0.95)
    assert row["end_to_end_bound"] == pytest.approx(1 / 0.95)
    assert (row["time_ratio"], row["key"]) == (pytest.approx(0.17), "gemm")
    assert [document["kernels"][number]["full_name"] for number in row["kernels"]] == [GEMM]


def test_whatif_says_the_same(document, desk):
    done = desk.type("whatif", "--class", "gemm=85%", "--format", "json")
    busy = json.loads(done.out)["busy_ns"]
    evidence = finding(document, "NW301")["evidence"]
    saved_ns = busy["before_ns"] - busy["after_ns"]
    assert saved_ns == pytest.approx(evidence["saving_at_85_percent_ns"])


def test_a_kernel_past_85_percent_stays_as_it_is(tmp_path):
    analysis = run_of(
        tmp_path,
        K(name="sgemm_a", time_ns=400, compute=0.6),
        K(name="sgemm_b", time_ns=600, compute=0.9),
    )
    (row,) = found(RULE, analysis)
    # 400 x (1 - 0.6 / 0.85), and 400 x 0.4 + 600 x 0.1
    assert row.saving_ns == pytest.approx(117.647, abs=1e-3)
    assert row.evidence["saving_at_100_percent_ns"] == pytest.approx(220)
    assert "1 kernel is past 85 % already" in str(row.message)


def test_memory_side_kernels_of_the_class_run_against_their_own_wall(tmp_path):
    analysis = run_of(
        tmp_path,
        K(name="sgemm_a", time_ns=600, compute=0.85),
        K(name="gemv", time_ns=400, bandwidth=0.425, compute=0.01),
    )
    (row,) = found(RULE, analysis)
    # half of 400 ns at 85 % of the bandwidth wall
    assert row.evidence["saving_at_85_percent_ns"] == pytest.approx(200)
    assert "Of this class, 40 % of kernel time is on the memory side" in str(row.message)


def test_kernels_of_the_class_without_counters_are_left_as_they_are(tmp_path):
    analysis = run_of(
        tmp_path,
        K(name="sgemm_a", time_ns=500, compute=0.425),
        K(name="sgemm_b", time_ns=500, profiled=False),
    )
    (row,) = found(RULE, analysis)
    assert row.evidence["saving_at_85_percent_ns"] == pytest.approx(250)
    assert row.evidence["measured_time_ns"] == 500
    assert "Of this class, 50 % of kernel time has no usable counters" in str(row.message)


@pytest.mark.parametrize(
    "kernels",
    [
        [K(name="sgemm_a", time_ns=1000, compute=0.85)],  # nothing to gain at 85 %
        [K(name="add_kernel", time_ns=1000, bandwidth=0.3, compute=0.1)],  # memory side
        # all of it waits on latency, and NW401 says so
        [K(name="sgemm_a", time_ns=1000, compute=0.1, values={SM: 20.0, MEMORY: 30.0})],
        # 0.4 % of the time
        [K(name="sgemm_a", time_ns=4, compute=0.1), K(name="add", time_ns=996, bandwidth=0.9)],
    ],
)
def test_the_best_case_is_silent(tmp_path, kernels):
    assert list(RULE.check(run_of(tmp_path, *kernels))) == []


def test_streams_that_overlap_share_the_wall_of_their_gpu(tmp_path):
    # seven streams of ten launches, 100 us each, all in 1 ms. 102,600 of 1,000,000 FLOP a launch at
    # the wall are 10.26 us, so 70 of them need 0.718 ms, and 0.845 ms at 85 %
    analysis = run_of(
        tmp_path,
        *(K(name=f"sgemm_{n}", time_ns=100_000, launches=10, compute=0.1026, start_ns=0)
          for n in range(7)),
    )  # fmt: skip
    assert (analysis.kernel_ns, analysis.busy_ns) == (7_000_000, 1_000_000)
    (row,) = found(RULE, analysis)
    assert str(row.message) == (
        "gemm takes 7.00 ms, 100 % of kernel time, and reaches 10 % of its walls on average. "
        "At 85 % it would take 845 µs, which saves at most 155 µs, 16 % end to end; "
        "at 100 %, which no kernel reaches, 718 µs, which saves at most 282 µs, 28 % end to end."
    )
    assert row.saving_ns == pytest.approx(1_000_000 - 718_200 / 0.85)
    assert row.speedup_bound == pytest.approx(0.85 / 0.7182)


def test_end_to_end_is_of_the_span_with_its_idle_time(tmp_path):
    # half of 600 ns goes: 30 % of 1,000 ns busy, 15 % of a span of 2,000 ns
    analysis = run_of(
        tmp_path,
        K(name="sgemm_a", time_ns=600, compute=0.425),
        K(name="add", time_ns=400, bandwidth=0.9, start_ns=1600),
    )
    assert (analysis.busy_ns, analysis.span_ns) == (1000, 2000)
    row = next(one for one in find_all(analysis).found if one.code == "NW301")
    assert str(row.title) == "gemm at 85 % of its walls is worth 15 % end to end"
    assert row.title.written("zh") == "gemm 达到各自墙的 85 %，可省端到端时间的 15 %"
    assert row.saving_ns == pytest.approx(300)
    assert row.speedup_bound == pytest.approx(1000 / 700)
    assert row.end_to_end_bound == pytest.approx(2000 / 1700)


def test_without_a_trace_it_is_worth_a_share_of_kernel_time(desk):
    # ncu's own time: at 42.5 % of its wall, half of it goes at 85 %
    # 0.425 x 17,000 ns x 312,000 FLOP/ns
    counters = profiled(GEMM, {"dram": 1_000_000, FP16_OPS: 2_254_200_000, "fp32": (0, 0, 0),
                               "gpu__time_duration.sum": 17_000})  # fmt: skip
    row = finding(desk.report(desk.counters(counters), options=["--hw", "a100"]), "NW301")
    assert row["title"] == "gemm at 85 % of its walls is worth 50 % of kernel time"
    assert row["speedup_bound"] == pytest.approx(2)
    assert row["end_to_end_bound"] is None


def test_what_latency_or_the_chip_holds_up_is_promised_nothing(tmp_path):
    analysis = run_of(
        tmp_path,
        K(name="sgemm_a", time_ns=500, compute=0.425),
        K(name="sgemm_b", time_ns=300, compute=0.01, values={SM: 20.0, MEMORY: 30.0}),
        K(name="sgemm_c", time_ns=200, compute=0.01, values={SM: 80.0}),
    )
    (row,) = found(RULE, analysis)
    # half of 500 ns; b waits on latency, and the SMs are busy with c
    assert row.evidence["saving_at_85_percent_ns"] == pytest.approx(250)
    assert row.evidence["held_time_ns"] == 500
    assert "At 85 % it would take 750 ns" in str(row.message)
    assert "Of this class, 50 % of kernel time waits on latency" in str(row.message)
    assert "usable counters" not in str(row.message)


def test_names_that_tell_no_class_are_said_to_be_so(tmp_path):
    (reason,) = reasons(RULE, run_of(tmp_path, K(name="solve", time_ns=1000, compute=0.5)))
    assert reason.startswith("100 % of kernel time is on the compute side in kernels whose names")


def test_the_best_case_abstains_without_counters(tmp_path):
    analysis = run_of(tmp_path, K(name="sgemm_a", time_ns=1000, profiled=False))
    (reason,) = reasons(RULE, analysis)
    assert reason.startswith("100 % of kernel time has no usable counters")
