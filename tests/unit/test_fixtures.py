"""The generated runs: what they hold agrees with tensor shapes and with itself.

Everything here is read with sqlite3 and csv and worked out from the shapes of the two models,
so it stands apart from the product's readers and from the generator.
"""

import csv
import re
import sqlite3
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import median

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"
BERT, GPT = "bert-base-t4", "gpt-decode-a100"
RUNS = (BERT, GPT)
BANDWIDTH = {BERT: 320.064e9, GPT: 2039.04e9}  # byte/s
FP32 = {BERT: 8.1e12, GPT: 19.5e12}  # FLOP/s
FP16_TENSOR = {BERT: 65e12, GPT: 312e12}  # FLOP/s
TENSOR_COUNTERS = {BERT: 5, GPT: 14}  # sm__ops_path_tensor_* of compute capability 7.5 and 8.0

LAUNCHES = """
    SELECT names.value, gridX, gridY, gridZ, blockX, blockY, blockZ, launch.end - launch.start
    FROM CUPTI_ACTIVITY_KIND_KERNEL launch JOIN StringIds names ON names.id = demangledName
    ORDER BY launch.start
"""
RANGES_OF_LAUNCHES = """
    SELECT COALESCE(range.text, names.value) AS name, count(*), sum(launch.end - launch.start)
    FROM CUPTI_ACTIVITY_KIND_KERNEL launch
    JOIN CUPTI_ACTIVITY_KIND_RUNTIME call USING (correlationId)
    JOIN NVTX_EVENTS range ON call.start > range.start AND call.end < range.end
    LEFT JOIN StringIds names ON names.id = range.textId
    GROUP BY 1
"""


def trace_of(run):
    return FIXTURES / run / f"{run}-generated.sqlite"


def query(run, statement):
    connection = sqlite3.connect(f"file:{trace_of(run)}?mode=ro&immutable=1", uri=True)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()


def plain(name):
    """Reduce both spellings of a kernel name to what neither loses."""
    name = re.sub(r"\((?:unsigned )?(?:int|long|bool)\)(?=-?\d)", "", name)
    name = re.sub(r"<?\bunnamed>::", "", name)
    return re.sub(r"\w+::|const|[^\w,]", "", name)


def launches_of(run):
    """Durations, ns, by (plain name, grid, block)."""
    found = defaultdict(list)
    for name, *sizes, duration_ns in query(run, LAUNCHES):
        found[plain(name), tuple(sizes[:3]), tuple(sizes[3:])].append(duration_ns)
    return found


def counters_of(run):
    """Counters by (plain name, grid, block); the row of units is left out."""
    with (FIXTURES / run / f"{run}-generated.ncu.csv").open(encoding="utf-8", newline="") as file:
        _units, *rows = csv.DictReader(file)
    found = {}
    for row in rows:
        grid, block = (
            tuple(int(size) for size in row[column].strip("()").split(","))
            for column in ("Grid Size", "Block Size")
        )
        found[plain(row["Kernel Name"]), grid, block] = {
            name: float(value.replace(",", "")) for name, value in row.items() if "__" in name
        }
    assert len(found) == len(rows)
    return found


def tensor_flop(counters):
    return sum(value for name, value in counters.items() if "ops_path_tensor" in name)


def fp32_flop(counters):
    of = "smsp__sass_thread_inst_executed_op_f{}_pred_on.sum".format
    return counters[of("add")] + counters[of("mul")] + 2 * counters[of("fma")]


def class_of(name):
    """Operator class, by what these two runs hold."""
    parts = {
        "gemm": "gemm", "gemvx": "gemm", "cublasGemv": "gemm", "flash_fwd": "attention",
        "layer_norm": "norm", "softmax": "softmax", "copy_kernel": "copy", "gather": "embedding",
        "ArgMax": "sampling", "elementwise": "elementwise",
    }  # fmt: skip
    return next(kind for part, kind in parts.items() if part in name)


def time_by_class(run):
    found = defaultdict(int)
    for (name, *_), durations in launches_of(run).items():
        found[class_of(name)] += sum(durations)
    return found


def find(points, part, grid):
    """The one value whose name holds ``part`` and whose grid is ``grid``."""
    (value,) = (
        value for (name, shape, _), value in points.items() if part in name and shape == grid
    )
    return value


@pytest.fixture(scope="module")
def regenerated(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fixtures")
    subprocess.run([sys.executable, FIXTURES / "generate.py", folder], check=True)
    return folder


@pytest.mark.parametrize("run", RUNS)
def test_generator_gives_the_committed_files(run, regenerated):
    made, kept = (folder / run for folder in (regenerated, FIXTURES))
    counters, trace = f"{run}-generated.ncu.csv", f"{run}-generated.sqlite"
    assert (made / counters).read_bytes() == (kept / counters).read_bytes()
    image, kept_image = (made / trace).read_bytes(), (kept / trace).read_bytes()
    if image[96:100] == kept_image[96:100]:  # written by the same version of SQLite
        assert image == kept_image
    dumps = []
    for path in (made / trace, kept / trace):
        connection = sqlite3.connect(path)
        dumps.append(list(connection.iterdump()))
        connection.close()
    assert dumps[0] == dumps[1]


@pytest.mark.parametrize("run", RUNS)
def test_files_are_labelled_sound_and_small(run):
    ((label,),) = query(run, "SELECT value FROM META_DATA_CAPTURE")
    assert label.startswith("Generated by fixtures/generate.py")
    assert query(run, "SELECT name FROM PROCESSES") == [("generated-fixture",)]
    assert query(run, "PRAGMA integrity_check") == [("ok",)]
    assert sorted(path.name for path in (FIXTURES / run).iterdir()) == [
        f"{run}-generated.ncu.csv",
        f"{run}-generated.sqlite",
    ]
    assert trace_of(run).stat().st_size <= {BERT: 400_000, GPT: 600_000}[run]


@pytest.mark.parametrize("run", RUNS)
def test_trace_tells_the_bandwidth_wall(run):
    assert query(run, "SELECT memoryBandwidth FROM TARGET_INFO_GPU") == [(BANDWIDTH[run],)]


@pytest.mark.parametrize("run", RUNS)
def test_one_stream_runs_one_kernel_at_a_time_after_its_call(run):
    times = query(
        run,
        "SELECT launch.start, launch.end, call.start FROM CUPTI_ACTIVITY_KIND_KERNEL launch "
        "JOIN CUPTI_ACTIVITY_KIND_RUNTIME call USING (correlationId) ORDER BY launch.start",
    )
    assert len(times) == query(run, "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")[0][0]
    assert all(call < start < end for start, end, call in times)
    assert all(end < later for (_, end, _), (later, _, _) in pairwise(times))


@pytest.mark.parametrize("run", RUNS)
def test_names_differ_as_text_and_pair_up_with_their_shapes(run):
    traced, profiled = launches_of(run), counters_of(run)
    missing = set(traced) - set(profiled)
    assert set(profiled) <= set(traced)
    assert {class_of(name) for name, *_ in missing} == ({"sampling"} if run == GPT else set())
    with (FIXTURES / run / f"{run}-generated.ncu.csv").open(encoding="utf-8", newline="") as file:
        written = {row["Kernel Name"] for row in csv.DictReader(file)} - {""}
    same = written & {name for name, *_ in query(run, LAUNCHES)}
    assert all(re.fullmatch(r"\w+", name) for name in same)  # cuBLAS names have no C++ in them
    assert len(same) < len(written) / 2


@pytest.mark.parametrize("run", RUNS)
def test_no_launch_is_faster_than_its_walls(run):
    traced, profiled = launches_of(run), counters_of(run)
    for point, counters in profiled.items():
        memory_ns = counters["dram__bytes.sum"] / BANDWIDTH[run] * 1e9
        tensor_ns = tensor_flop(counters) / FP16_TENSOR[run] * 1e9
        fp32_ns = fp32_flop(counters) / FP32[run] * 1e9
        assert max(memory_ns, tensor_ns, fp32_ns) <= min(traced[point]), point
        assert 1.09 <= counters["gpu__time_duration.sum"] / median(traced[point]) <= 1.41, point


@pytest.mark.parametrize("run", RUNS)
def test_counters_agree_with_each_other(run):
    for point, counters in counters_of(run).items():
        _, grid, block = point
        read, write = counters["dram__bytes_read.sum"], counters["dram__bytes_write.sum"]
        assert counters["dram__bytes.sum"] == read + write
        assert counters["lts__t_bytes.sum"] >= read + write
        assert counters["launch__grid_size"] == grid[0] * grid[1] * grid[2]
        assert counters["launch__block_size"] == block[0] * block[1] * block[2]
        assert sum("ops_path_tensor" in name for name in counters) == TENSOR_COUNTERS[run]
        assert sum("_executed_op_" in name for name in counters) == 9


# --- BERT-base on a T4: 32 sequences of 128 tokens, hidden 768, 12 heads of 64, MLP 3072


def test_bert_launches_are_the_model_three_times():
    # a step: 3 for the mask, 3 for the embeddings, 51 for each of 12 layers, 1 for the output
    assert sum(map(len, launches_of(BERT).values())) == 3 * (3 + 3 + 12 * 51 + 1)
    ranges = {name: (count, time) for name, count, time in query(BERT, RANGES_OF_LAUNCHES)}
    assert [ranges[f"step {step}"][0] for step in range(3)] == [619] * 3
    assert [ranges[f"layer.{layer}"][0] for layer in range(12)] == [3 * 51] * 12
    assert (ranges["attention"][0], ranges["mlp"][0]) == (3 * 12 * 36, 3 * 12 * 15)
    assert (ranges["softmax"][0], ranges["layernorm"][0]) == (3 * 12 * 7, 3 * (12 * 2 + 1))


def test_bert_copies_its_inputs_in_and_its_outputs_out():
    copies = query(
        BERT, "SELECT copyKind, bytes, count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY 1, 2"
    )
    # 4096 64-bit tokens and as many mask elements; 32 x 768 FP32 outputs
    assert copies == [(1, 32_768, 6), (2, 98_304, 3)]


def test_bert_traffic_is_that_of_its_tensors():
    tokens, scores = 32 * 128, 32 * 12 * 128 * 128
    counters = counters_of(BERT)

    def traffic(part, grid):
        point = find(counters, part, grid)
        return point["dram__bytes_read.sum"], point["dram__bytes_write.sum"]

    # FP32 scores in and out: 8 rows of 128 a block of softmax, 256 elements a block of the copy
    assert traffic("softmax", (scores // 128 // 8, 1, 1)) == (4 * scores, 4 * scores)
    assert traffic("nocastdirect_copy", (scores // 256, 1, 1)) == (4 * scores, 4 * scores)
    # LayerNorm: rows, gamma and beta in; rows, mean and reciprocal deviation out
    hidden = tokens * 768
    assert traffic("layer_norm", (tokens, 1, 1)) == (
        4 * (hidden + 2 * 768),
        4 * (hidden + 2 * tokens),
    )
    # casts around the products: 4 bytes in and 2 out, or the reverse
    assert traffic("float16_copy", (hidden // 512, 1, 1)) == (4 * hidden, 2 * hidden)
    assert traffic("LoadWithCast", (hidden // 512, 1, 1)) == (2 * hidden, 4 * hidden)


@pytest.mark.parametrize(
    ("part", "grid", "columns", "inner"),
    [
        ("128x128_ldg8_f2f_tn", (6, 32, 1), 768, 768),
        ("256x128_ldg8_f2f_tn", (12, 32, 1), 3072, 768),
        ("128x64_sliced1x2", (6, 64, 1), 768, 3072),
    ],
)
def test_bert_linear_layers_stand_at_sixty_percent_of_the_compute_wall(part, grid, columns, inner):
    counters = find(counters_of(BERT), part, grid)
    flop = 2 * 4096 * columns * inner
    assert tensor_flop(counters) == flop
    assert counters["dram__bytes.sum"] == 2 * (4096 * inner + columns * inner + 4096 * columns)
    ratio = flop / 65e12 * 1e9 / median(find(launches_of(BERT), part, grid))
    assert 0.60 <= ratio <= 0.61


@pytest.mark.parametrize(
    ("part", "bytes_of_head"),
    [
        ("128x128_ldg8", 2 * (2 * 128 * 64 + 128 * 128)),  # queries, keys -> scores
        ("64x128_ldg8", 2 * (128 * 128 + 2 * 128 * 64)),  # scores, values -> context
    ],
)
def test_bert_attention_products_stand_at_the_bandwidth_wall(part, bytes_of_head):
    grid = (1, 1, 32 * 12)
    counters = find(counters_of(BERT), part, grid)
    assert tensor_flop(counters) == 384 * 2 * 128 * 128 * 64
    assert counters["dram__bytes.sum"] == 384 * bytes_of_head
    # 32 FLOP/byte, far under the balance point of 203
    assert tensor_flop(counters) / counters["dram__bytes.sum"] == 32
    memory_ns = 384 * bytes_of_head / 320.064e9 * 1e9
    assert memory_ns / median(find(launches_of(BERT), part, grid)) == pytest.approx(0.85, abs=0.01)


def test_bert_memory_kernels_reach_65_to_85_percent_of_the_bandwidth_wall():
    traced = launches_of(BERT)
    for point, counters in counters_of(BERT).items():
        duration_ns = median(traced[point])
        compute_bound = tensor_flop(counters) / 65e12 > counters["dram__bytes.sum"] / 320.064e9
        if duration_ns > 10_000 and not compute_bound:
            reached = counters["dram__bytes.sum"] / 320.064e9 * 1e9 / duration_ns
            assert 0.64 <= reached <= 0.86, point


def test_bert_gemm_is_a_sixth_and_norm_softmax_reshape_over_40_percent():
    times = time_by_class(BERT)
    total = sum(times.values())
    assert times["gemm"] / total == pytest.approx(0.17, abs=0.005)
    assert (times["norm"] + times["softmax"] + times["copy"]) / total > 0.40
    # from 60 % to 85 % of the compute wall, the linear layers alone: about 5 % end to end
    linear = sum(
        sum(durations)
        for (name, grid, _), durations in launches_of(BERT).items()
        if "gemm" in name and grid[2] == 1
    )
    start, end = query(BERT, "SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL")[0]
    assert linear * (1 - 60 / 85) / (end - start) == pytest.approx(0.05, abs=0.006)


# --- GPT on an A100: 2 layers, hidden 1024, 4 key heads of 64, 2048 positions, 100 tokens


def test_gpt_moves_four_mebibytes_of_cache_for_each_of_100_tokens():
    grid = (2048 * 1024 // 512, 1, 1)
    durations = find(launches_of(GPT), "nocastdirect_copy", grid)
    counters = find(counters_of(GPT), "nocastdirect_copy", grid)
    assert len(durations) == 100
    assert counters["dram__bytes_read.sum"] == 2048 * 1024 * 2 == 4_194_304
    assert counters["dram__bytes_write.sum"] == 4_194_304
    assert tensor_flop(counters) == fp32_flop(counters) == 0
    # 100 tokens one way at the 320 GB/s of a T4: 1.31 ms, and both ways on this GPU 0.41 ms
    moved = len(durations) * counters["dram__bytes_read.sum"]
    assert moved / 320e9 == pytest.approx(1.311e-3, abs=1e-6)
    floor_ns = 2 * moved / 2039.04e9 * 1e9
    assert floor_ns == pytest.approx(411_399, abs=1)
    assert floor_ns / sum(durations) == pytest.approx(0.65, abs=0.01)


def test_gpt_token_is_32_launches_and_leaves_the_gpu_idle():
    ranges = {name: (count, time) for name, count, time in query(GPT, RANGES_OF_LAUNCHES)}
    # a token: 1 reshape, 3 embeddings, 2 layers of 12, 1 into the cache, 3 to choose the next
    assert ranges["decode"][0] == 100 * (1 + 3 + 2 * 12 + 1 + 3)
    assert ranges["kv-cache reshape"][0] == 100
    assert ranges["prefill"][0] == 3 + 2 * 11 + 1 + 3
    busy = sum(sum(durations) for durations in launches_of(GPT).values())
    start, end = query(GPT, "SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL")[0]
    assert busy / (end - start) < 0.6


def test_gpt_ranges_hold_registered_and_plain_names():
    registered = query(GPT, "SELECT count(*) FROM NVTX_EVENTS WHERE textId IS NOT NULL")
    plain_text = query(GPT, "SELECT count(*) FROM NVTX_EVENTS WHERE text IS NOT NULL")
    # decode; against prefill, reshapes, 2 layers and a sample in each of 101 forward passes
    assert (registered, plain_text) == ([(100,)], [(1 + 100 + 3 * 101,)])


@pytest.mark.parametrize(
    ("grid", "rows", "inner"),
    [
        ((384, 1, 1), 1536, 1024),  # queries, keys and values: 16 + 2 x 4 heads of 64
        ((256, 1, 1), 1024, 1024),
        ((1024, 1, 1), 4096, 1024),
        ((128, 1, 1), 1024, 4096),
        ((2048, 1, 1), 8192, 1024),  # the vocabulary
    ],
)
def test_gpt_matrix_vector_products_read_each_weight_once(grid, rows, inner):
    counters = find(counters_of(GPT), "cublasGemv", grid)
    assert counters["dram__bytes_read.sum"] == 2 * (rows * inner + inner)
    assert counters["dram__bytes_write.sum"] == 2 * rows
    assert fp32_flop(counters) == 2 * rows * inner + rows  # and one by alpha an output


def test_gpt_time_without_counters_is_only_the_sampling():
    times = time_by_class(GPT)
    assert 0.03 < times["sampling"] / sum(times.values()) < 0.06
