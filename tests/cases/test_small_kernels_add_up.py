"""NW101: small memory-side kernels, each with all of its shapes and GPUs, against the heaviest."""

import pytest
from support.findings import MEMORY, SM, K, finding, found, reasons, run_of
from support.nsys_traces import A100, kernel
from support.pipeline import profiled

from nsys_walls.findings.small_kernels_add_up import RULE

GEMM = "ampere_sgemm_128x64_nn"


def small(name, time_ns, **more):
    """Make a kernel at the bandwidth wall."""
    return K(name=name, time_ns=time_ns, bandwidth=0.8, **more)


def test_a_gemm_of_many_shapes_is_one_heaviest_kernel(tmp_path):
    # 40 shapes of 2 %, and 4 kernels of 5 %: 20 % is less than 80 %
    shapes = [K(name=GEMM, time_ns=20, compute=0.8, grid=(100 + n, 1, 1)) for n in range(40)]
    analysis = run_of(tmp_path, *shapes, *(small(name, 50) for name in "abcd"))
    assert len(analysis.kernels) == 44
    assert list(RULE.check(analysis)) == []


def test_shapes_of_a_small_kernel_are_one_kernel(tmp_path):
    heavy = K(name=GEMM, time_ns=400, compute=0.8)
    shapes = [small("a", 100, grid=(1000 + n, 1, 1)) for n in range(6)]
    # six shapes of 10 % are one kernel of 60 %, which is not small
    assert list(RULE.check(run_of(tmp_path / "one", heavy, *shapes))) == []
    # 2 x 70 + 140 + 140 = 420 of 820 ns, each 17 %: none of them is small
    three = [small("a", 70), small("a", 70, grid=(9, 1, 1)), small("b", 140), small("c", 140)]
    assert list(RULE.check(run_of(tmp_path / "three", heavy, *three))) == []
    # 2 x 60 + 3 x 100 = 420 of 820 ns: 14.6 % and 12.2 %
    four = [small("a", 60), small("a", 60, grid=(9, 1, 1)), *(small(n, 100) for n in "bcd")]
    (row,) = found(RULE, run_of(tmp_path / "four", heavy, *four))
    title = "4 small memory-side kernels (5 launch shapes) outweigh the heaviest one"
    assert str(row.title) == title
    assert str(row.message) == (
        "Together they take 420 ns, 51 % of kernel time, and none of them alone more than 15 %; "
        f"the heaviest kernel, {GEMM}, takes 49 %. "
        "The bound is what would go if all of their time went."
    )
    # the points: three of 100 ns behind the GEMM, then both shapes
    assert row.kernels == (1, 2, 3, 4, 5)
    assert row.saving_ns == 420


def test_the_heaviest_kernel_is_named_without_a_shape_where_it_has_several(tmp_path):
    heavy = [K(name=GEMM, time_ns=100, compute=0.8, grid=(n, 1, 1)) for n in (500, 600)]
    (row,) = found(RULE, run_of(tmp_path, *heavy, *(small(name, 60) for name in "abcde")))
    assert f"the heaviest kernel, {GEMM}, takes 40 %" in str(row.message)
    assert row.evidence == {"small_time_ns": 300, "heaviest_time_ns": 200}


def test_only_shapes_on_the_memory_side_count(tmp_path):
    waiting = {"bandwidth": 0.1, "values": {SM: 20.0, MEMORY: 30.0}, "grid": (1, 1, 1)}
    heavy = K(name=GEMM, time_ns=300, compute=0.8)
    some = [small(name, 80) for name in "abcd"]
    rest = [K(name=name, time_ns=20, **waiting) for name in "abcd"]
    (row,) = found(RULE, run_of(tmp_path, heavy, *some, *rest))
    # 4 x 80 of 700 ns; what waits on latency is part of the kernels, but no memory-side time
    assert (row.evidence["small_time_ns"], row.kernels) == (320, (1, 2, 3, 4))
    assert "none of them alone more than 11 %" in str(row.message)
    assert str(row.title) == "4 small memory-side kernels outweigh the heaviest one"


def on_two_gpus(desk, *kernels):
    """Report a run in which two GPUs do the same, ten times.

    Args:
        desk: Where.
        kernels: Name, duration in ns, counters of each.
    """
    second = A100 | {"id": 1, "cuda_ordinal": 1, "bus": "0000:41:00.0",
                     "uuid": "a1000000-0000-4000-8000-000000000009"}  # fmt: skip
    rows, start = [], 1_000_000
    for _ in range(10):
        for name, time_ns, _ in kernels:
            rows += [kernel(start, start + time_ns, name, deviceId=gpu) for gpu in (0, 1)]
            start += time_ns + 5_000
    counters = desk.counters(*(profiled(name, values) for name, _, values in kernels))
    return desk.report(desk.trace(kernels=rows, gpus=(A100, second)), counters)


# 0.8 x 70,000 ns x 19,500 FLOP/ns, two a fused one
WORK = {"dram": 1_000_000, "fp32": (0, 0, 546_000_000)}


def test_the_copies_of_a_kernel_on_several_gpus_are_one_kernel(desk):
    # four points of 70 and 30 %: two kernels
    # 0.8 x 30,000 ns x 1,555.2 B/ns
    softmax = {"dram": 37_324_800, "fp32": (1_000_000, 0, 0)}
    document = on_two_gpus(desk, (GEMM, 70_000, WORK), ("softmax(float *)", 30_000, softmax))
    assert len(document["kernels"]) == 4
    assert not [row for row in document["findings"] if row["code"] == "NW101"]


def test_small_kernels_on_several_gpus_are_counted_once(desk):
    # 0.8 x 20,000 ns x 1,555.2 B/ns
    moved = {"dram": 24_883_200, "fp32": (1_000_000, 0, 0)}
    names = [f"{name}(float *)" for name in ("norm", "softmax", "add", "mask")]
    document = on_two_gpus(desk, (GEMM, 70_000, WORK), *((name, 20_000, moved) for name in names))
    row = finding(document, "NW101")
    shapes = "8 launch shapes, summed over 2 GPUs"
    assert row["title"] == f"4 small memory-side kernels ({shapes}) outweigh the heaviest one"
    # on each GPU 4 x 200 us of 1,500 us
    assert row["saving_ns"] == 1_600_000
    assert row["speedup_bound"] == pytest.approx(3000 / 1400)
    # each GPU spans ten rounds of 150 us and five gaps of 5 us, but for the last gap
    assert row["end_to_end_bound"] == pytest.approx(3490 / 1890)
    assert len(row["kernels"]) == 8
    assert f"the heaviest kernel, {GEMM}, takes 47 %" in row["message"]


def test_what_overlaps_saves_no_more_than_the_gpu_was_busy(tmp_path):
    # seven at once
    kernels = [K(name=name, time_ns=1000, bandwidth=0.12, start_ns=0) for name in "abcdefg"]
    analysis = run_of(tmp_path, *kernels)
    (row,) = found(RULE, analysis)
    assert row.evidence["small_time_ns"] == 6000
    assert (row.saving_ns, row.speedup_bound) == (1000, None)


def test_without_counters_it_is_not_known_what_is_on_the_memory_side(tmp_path):
    kernels = [K(name=name, time_ns=100, profiled=False) for name in "abcdefgh"]
    (reason,) = reasons(RULE, run_of(tmp_path, *kernels))
    assert reason.startswith("100 % of kernel time has no usable counters, so it is not known")
