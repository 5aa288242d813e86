"""Counters of real runs. What they have to be: see each test; sizes are on paper."""

import pytest
from support.ncu_files import read_file

from nsys_walls.counters.measure import work_of


@pytest.fixture
def works(real):
    def read(name, capability=None):
        return [
            work_of(
                dict(launch["values"]),
                compute_capability=launch["compute_capability"] or capability,
                says_tensor=None,
            )
            for launch in read_file(real(f"ncu/{name}")).launches
        ]

    return read


@pytest.mark.parametrize("name", ["bert_nsight", "bert_torch_nsight"])
@pytest.mark.parametrize("capability", [None, "8.0"])
def test_an_fp32_program_has_neither_half_nor_tensor_work(works, name, capability):
    found = works(f"a100-operators/{name}.csv", capability)
    assert len(found) == 26
    assert {work.flop_is for work in found} == {"exact"}
    assert all(work.flop_by_precision["fp16"] == 0 for work in found)
    assert all(set(work.flop_by_precision) == {"fp64", "fp32", "fp16"} for work in found)


def test_tensor_kernels_of_an_unknown_chip_have_no_flop(works):
    found = works("a100-operators/bert_flashattn_nsight.csv")
    missing = [work for work in found if work.flop is None]
    assert len(found) == 10
    assert len(missing) == 3
    assert all(str(work.flop_reason).startswith("the tensor pipe was active") for work in missing)
    assert all(work.flop_by_precision["fp16"] == 0 for work in found)


# 6144, 2048 and 3072 HMMA.16816 instructions of 2 x 16 x 8 x 16 operations
def test_tensor_kernels_of_a_known_chip_are_estimates(works):
    found = works("a100-operators/bert_flashattn_nsight.csv", "8.0")
    estimates = [work for work in found if work.flop_is == "estimate"]
    assert sorted(work.flop_by_precision["fp16_tensor"] for work in estimates) == [
        *(2048 * 4096, 3072 * 4096, 6144 * 4096),
    ]
    assert {work.flop_is for work in found} == {"estimate", "exact"}


@pytest.mark.parametrize(
    ("name", "moved"),
    [  # x and y read, y written, 4 bytes each; an n x n matrix read and written
        ("saxpy", 12 * 2**24),
        ("transpose_tiled", 8 * 2048**2),
    ],
)
def test_traffic_of_streaming_kernels_is_near_what_they_move(works, name, moved):
    (work,) = works(f"rtx5070-microbench/{name}.csv")
    assert work.dram_bytes == pytest.approx(moved, rel=0.15)
    assert work.flop is None
    assert str(work.flop_reason).startswith("no FLOP counter was collected")


@pytest.mark.parametrize(
    ("name", "percent"), [("gemm_naive", 97.3), ("gemm_tiled", 88.9), ("gemm_vectorized", 71.3)]
)
def test_speed_of_light(works, name, percent):
    (work,) = works(f"rtx5070-microbench/{name}.csv")
    assert work.sm_throughput_ratio == pytest.approx(percent / 100, abs=0.0005)


def test_a_tensor_counter_that_is_zero_is_no_flop(works):
    for number in (1, 2, 10):
        (work,) = works(f"pair-rtx5090-llm/k{number:04}_ncu.metrics.csv")
        assert work.flop is None
        assert str(work.flop_reason).startswith("every FLOP counter collected is 0")
        assert work.dram_bytes > 0


def test_a_tensor_counter_above_zero_is_a_lower_bound(works):
    (work,) = works("pair-rtx5090-llm/k0016_ncu.metrics.csv")
    assert (work.flop, work.flop_is) == (45_902_462_976, "lower_bound")
    assert "fp32" in work.not_collected


# printed: 1.97 FADD, 0 FMUL and 79.06 FFMA per cycle, in 13,485 cycles of another section
def test_rates_become_work_beside_the_cycles_of_another_section(real):
    values = {}
    for section in ("SpeedOfLight_RooflineChart", "SpeedOfLight"):
        path = real(f"ncu/pair-rtx5090-llm/k0001_ncu.section_{section}.csv")
        values |= dict(read_file(path).launches[0]["values"])
    work = work_of(values, compute_capability="12.0", says_tensor=None)
    assert work.flop_by_precision["fp32"] == pytest.approx((1.97 + 2 * 79.06) * 13_485)
    assert work.dram_bytes is None


# the printed rate of the memory section must not become bytes
def test_a_details_page_without_dram_counters_has_no_bytes(works):
    (work,) = works("pair-rtx5090-llm/k0001_ncu.section_MemoryWorkloadAnalysis.csv")
    assert work.dram_bytes is None


def test_cycles_by_their_clock_are_the_duration(real):
    for launch in read_file(real("ncu/a100-operators/nsight_virtual.csv")).launches:
        values = dict(launch["values"])
        stated = values.pop("gpu__time_duration.sum")
        found = work_of(values, compute_capability=None, says_tensor=None).ncu_ns
        assert found == pytest.approx(stated, rel=1e-4)


@pytest.mark.parametrize(
    "name", ["adaptive_avg_pool2d_nsight", "dropout_nsight162", "nsight_virtual"]
)
def test_operators_add_up(works, name):
    found = works(f"a100-operators/{name}.csv")
    assert {work.flop_is for work in found} == {"exact"}
    assert all(work.dram_bytes is not None and work.l2_bytes is not None for work in found)
