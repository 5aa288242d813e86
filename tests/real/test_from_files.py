"""Real profiler outputs through the command line, against independent counts.

The files belong to others and are not in the repository, see `NSYS_WALLS_REAL`.
"""

import csv
import hashlib
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing

import pytest
from support.pipeline import Desk

WITH_KERNELS = (
    "a100_nonlazy_2022.2_2.9.1",
    "a100x4_reversed_ids_2024.5_3.13.2",
    "h100x2_nccl_nvtx_2026.2_3.25.0",
    "h200_nvfuser_2024.6_3.16.1",
    "rtx3090x2_coop_2025.5_3.23.3",
    "rtx4060ti_2026.1_3.24.14",
    "rtx6000_nometa_2021.2",
    "t4_nvtx_textid_2025.3_3.20.2",
)
WITHOUT_KERNELS = {
    "nogpu_nocuda_2023.4_3.7.2": "no CUDA calls and no GPU",
    "nokernels_a100_2026.1_3.24.14": "nothing ran on it",
    "nokernels_drivertoonew_2025.1_3.17.2": "CUDA driver version (13.3) is not supported",
}
BY_SHAPE = """
    SELECT s.value, k.gridX, k.gridY, k.gridZ, k.blockX, k.blockY, k.blockZ,
      count(*), sum(k."end" - k.start)
    FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName
    GROUP BY 1, 2, 3, 4, 5, 6, 7
"""


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path)


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_launches_and_times_equal_an_independent_query(real, desk, name):
    path = real(f"nsys/{name}.sqlite")
    document = desk.report(path, options=("--hw", "a100"))
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as trace:
        wanted = {tuple(row[:7]): (row[7], row[8]) for row in trace.execute(BY_SHAPE)}
    found = defaultdict(lambda: (0, 0))
    for kernel in document["kernels"]:
        key = (kernel["full_name"], *kernel["grid"], *kernel["block"])
        launches, time_ns = found[key]
        found[key] = (launches + kernel["launches"], time_ns + kernel["time_ns"])
    assert dict(found) == wanted


@pytest.mark.parametrize("name", ["h100x2_nccl_nvtx_2026.2_3.25.0", "t4_nvtx_textid_2025.3_3.20.2"])
def test_the_page_of_a_real_trace_is_small_and_names_no_place(real, desk, name):
    desk.ingest(real(f"nsys/{name}.sqlite"))
    done = desk.type("report", "--hw", "a100")
    assert done.code == 0
    (path,) = (desk.folder / "reports").glob("*.html")
    page = path.read_text("utf-8")
    assert len(page) < 3_000_000
    assert "/home/" not in page
    assert "/Users/" not in page


@pytest.mark.parametrize("name", WITHOUT_KERNELS)
def test_traces_without_kernels_say_why_and_leave_nothing(real, desk, name):
    done = desk.type("ingest", real(f"nsys/{name}.sqlite"))
    assert (done.code, done.out, done.slugs) == (1, "", ["no-kernels"])
    assert WITHOUT_KERNELS[name] in done.err
    assert desk.runs() == []


def test_an_input_is_never_written_to(real, desk, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    path = folder / "trace.sqlite"
    path.write_bytes(real("nsys/rtx4060ti_2026.1_3.24.14.sqlite").read_bytes())
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    path.chmod(0o444)
    folder.chmod(0o555)
    desk.ingest(path)
    folder.chmod(0o755)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert list(folder.iterdir()) == [path]


@pytest.fixture(scope="module")
def pair(real, tmp_path_factory):
    """Report the real pair: a summary of a run, and counters of its 20 heaviest kernels."""
    folder = real("ncu/pair-rtx5090-llm/nsys_cuda_gpu_kern_sum.csv").parent
    desk = Desk(tmp_path_factory.mktemp("pair"))
    counters = sorted(folder.glob("k*_ncu.metrics.csv")) + sorted(folder.glob("k*_ncu.details.csv"))
    document = desk.report(folder / "nsys_cuda_gpu_kern_sum.csv", *counters,
                           options=("--hw", "rtx5090"))  # fmt: skip
    return folder, desk, document


def test_names_that_are_never_equal_as_text_find_all_20_kernels(pair):
    _, _, document = pair
    found = [row for row in document["kernels"] if row["match"]["level"] != "none"]
    assert Counter(row["match"]["level"] for row in found) == {"name": 2, "ambiguous": 18}
    # each launch stands in two files, and counts once
    assert {row["match"]["profiled_launches"] for row in found} == {1}
    assert all(row["ncu_time_ratio"] > 0 for row in found)


def test_only_steady_names_of_a_summary_get_rates(pair):
    _, _, document = pair
    for row in document["kernels"]:
        if row["match"]["level"] == "ambiguous":
            assert row["bytes_per_s"] is row["bandwidth_ratio"] is None
            assert "mixes shapes" in row["match"]["reason"]
            assert "cuda_gpu_trace" in row["match"]["reason"]
        if row["match"]["level"] == "name":
            assert row["max_ns"] <= 1.5 * row["min_ns"]
            assert row["bandwidth_ratio"] > 0


def test_more_sections_of_one_launch_are_no_more_launches(pair):
    folder, desk, before = pair
    sections = sorted(folder.glob("k0001_ncu.section_*.csv"))
    assert len(sections) == 5
    desk.ingest(*sections, "--run", before["run"]["name"])
    after = desk.document("--hw", "rtx5090")
    (row,) = (k for k in after["kernels"] if k["id"] == 0)
    assert row["match"]["profiled_launches"] == 1
    # the roofline section counted FP32 work per cycle: 160.09 x 13,485 cycles
    assert row["flop"] == pytest.approx(160.09 * 13_485, rel=0.01)


@pytest.fixture(scope="module")
def microbench(real, tmp_path_factory):
    folder = real("ncu/rtx5070-microbench/saxpy.csv").parent
    desk = Desk(tmp_path_factory.mktemp("microbench"))
    walls = ("--bandwidth", "672GB/s", "--peak", "fp32=30.9TFLOP/s")
    document = desk.report(*sorted(folder.glob("*.csv")), "--run", "m", options=walls)
    return {row["name"]: row for row in document["kernels"]}


def test_bytes_are_as_counted(microbench):
    # op_read + op_write of each file
    assert {
        name.removesuffix("_kernel"): row["dram_bytes"] for name, row in microbench.items()
    } == {
        "saxpy": 134_221_568 + 43_631_104,
        "transpose_naive": 19_001_600 + 4_399_616,
        "transpose_tiled": 17_056_256 + 13_000_960,
        "gemm_naive": 54_207_744 + 26_601_216,
        "gemm_tiled": 53_261_312 + 3_377_920,
        "gemm_register_blocked": 42_139_648 + 2_289_664,
        "gemm_vectorized": 38_170_624 + 8_163_840,
    }
    # read 8 and write 4 bytes for each of 2^24 elements; L2 kept some of the writes
    assert microbench["saxpy_kernel"]["dram_bytes"] == pytest.approx(12 * 2**24, rel=0.15)


def test_without_flop_counters_nothing_is_called_latency_bound(microbench):
    assert {row["flop"] for row in microbench.values()} == {None}
    walls = {name: row["wall"] for name, row in microbench.items()}
    assert "latency" not in walls.values()
    assert {wall for name, wall in walls.items() if name.startswith("gemm")} == {"on_chip"}


def launches_of(path):
    """Count distinct (process, ID) below ncu's header, with nothing but the csv module."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.reader(file))
    (start,) = (i for i, row in enumerate(rows) if row[:2] == ["ID", "Process ID"])
    return len({(row[1], row[0]) for row in rows[start + 1 :] if row and row[0].isdecimal()})


OPERATORS = (
    "adaptive_avg_pool2d_nsight", "bert_flashattn_nsight", "bert_nsight", "bert_torch_nsight",
    "conv2d_result", "conv2d_result_l1", "dropout_nsight162", "nsight_virtual",
    "pooling_nsight16", "roofline_result",
)  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_every_profiled_launch_is_read(real, desk, name):
    path = real(f"ncu/a100-operators/{name}.csv")
    document = desk.report(path, options=("--hw", "a100"))
    assert document["totals"]["launches"] == launches_of(path)
    for row in document["kernels"]:
        # these headers have no shapes, but for one file: then every launch is its own point
        assert row["grid"] is not None or row["launches"] == 1


def test_tensor_work_is_estimated_where_it_is_work(real, desk):
    document = desk.report(
        real("ncu/a100-operators/bert_flashattn_nsight.csv"), options=("--hw", "a100")
    )
    tensor = {
        row["flop_by_precision"]["fp16_tensor"]
        for row in document["kernels"]
        if row["flop_by_precision"].get("fp16_tensor")
    }
    # 6144, 3072 and 2048 instructions of 4096 FLOP
    assert tensor == {25_165_824, 12_582_912, 8_388_608}


@pytest.mark.parametrize("name", ["bert_nsight", "bert_torch_nsight"])
def test_moves_of_constants_are_no_half_precision_work(real, desk, name):
    document = desk.report(real(f"ncu/a100-operators/{name}.csv"), options=("--hw", "a100"))
    for row in document["kernels"]:
        assert not row["flop_by_precision"].get("fp16")
        assert not row["flop_by_precision"].get("fp16_tensor")
