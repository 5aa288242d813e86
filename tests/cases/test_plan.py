"""From a trace to counters: what `nsys-walls plan` tells a user to run."""

import json
import re
import shlex

import pytest
from support.ncu_files import csv_text
from support.nsys_traces import A100, SECRETS, graph, nvtx
from support.pipeline import after, only, parse_strictly, profiled, series, shape, with_calls

NORM = "void at::native::<unnamed>::layer_norm<float, (int)4>(int, T1 *, const T1 *)"
ADD = "void at::native::add<(int)4, c10::Half>(int, T2, T3)"
GEMM = "ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_tn"
ALL_REDUCE = (
    "ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)"
)

INSTRUCTION = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
TIME_AND_SPEED = [
    "gpu__time_duration.sum",
    "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
]
DRAM = ["dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum"]
INSTRUCTIONS = [INSTRUCTION.format(kind + op) for kind in "dfh" for op in ("add", "mul", "fma")]
PIPE = "sm__inst_executed_pipe_tensor.sum"


def planned(desk, *options):
    """Plan the last run; gives the words of each command, the program left out."""
    done = desk.type("plan", *options)
    assert done.code == 0, done.err
    commands = [shlex.split(line) for line in done.out.splitlines() if line and line[0] != "#"]
    assert all(words[-2:] == ["PROGRAM", "ARGS..."] for words in commands)
    return [words[:-2] for words in commands]


def option(words, name):
    """Give what follows an option."""
    return words[words.index(name) + 1]


def metrics(words):
    return option(words, "--metrics").split(",")


def measures(words, *names):
    """Say which of some kernel names a command matches."""
    text = option(words, "--kernel-name")
    assert text.startswith("regex:^")
    assert text.endswith("$")
    return [name for name in names if re.fullmatch(text.removeprefix("regex:"), name)]


def comments(done):
    """Join the comments of a plan to one line of text."""
    lines = [line for line in done.out.splitlines() if line.startswith("#")]
    return " ".join(line.lstrip("# ") for line in lines)


def three_kernels(desk, **options):
    """Trace 6 x 100 us of a norm, 3 x 100 us of a GEMM and 1 x 100 us of an addition."""
    rows = series(NORM, [100_000] * 6, **shape((512, 1, 1)))
    rows += series(GEMM, [100_000] * 3, start=after(rows), **shape((8, 16, 1)))
    rows += series(ADD, [100_000], start=after(rows), **shape((512, 1, 1)))
    desk.ingest(desk.trace(kernels=rows, **options))


# What to run ----------------------------------------------------------------------------


def test_kernels_of_one_shape_need_a_command_each_and_others_share_one(desk):
    three_kernels(desk)
    first, second = planned(desk, "--cover", "100%")
    assert measures(first, NORM, GEMM, ADD) == [NORM, GEMM]
    assert measures(second, NORM, GEMM, ADD) == [ADD]
    for words in (first, second):
        assert words[:6] == ["ncu", "--csv", "--page", "raw", "--print-units", "base"]
        assert option(words, "--clock-control") == "none"
        assert option(words, "--rename-kernels") == "off"
        assert option(words, "--kernel-name-base") == "demangled"
        assert option(words, "--filter-mode") == "per-launch-config"
        assert option(words, "--launch-count") == "1"
    assert option(first, "--log-file") == "trace.counters-1.csv"
    assert option(second, "--log-file") == "trace.counters-2.csv"


@pytest.mark.parametrize(
    ("cover", "names"), [("60%", [NORM]), ("61%", [NORM, GEMM]), ("0.9", [NORM, GEMM])]
)
def test_the_heaviest_kernels_are_taken_until_the_share_is_reached(desk, cover, names):
    three_kernels(desk)
    (words,) = planned(desk, "--cover", cover)
    assert measures(words, NORM, GEMM, ADD) == names


def test_comments_say_what_is_measured_and_what_it_takes(desk):
    three_kernels(desk)
    done = desk.type("plan", "--cover", "90%")
    text = comments(done)
    assert "1 run of the program under ncu measures 2 kernels more, for 90 %: 2 launches" in text
    assert "nsys-walls ingest --run trace trace.counters-1.csv" in text
    assert "--clock-control none leaves the clocks as they were in the traced run" in text
    assert "--launch-skip 1 passes over the first one of each shape" in text
    # 16 passes on an A100, of 2 launches of 100 us; 10 launches with 9 gaps of 5 us
    assert "16 replay passes a launch" in text
    assert "3.20 ms of replays, and 1 run of 1.04 ms as traced: at least 4.25 ms" in text


def test_a_shape_that_was_launched_once_is_not_skipped(desk):
    three_kernels(desk)
    assert "some shapes were launched only once" in comments(desk.type("plan", "--cover", "1"))


def test_all_shapes_of_a_name_come_with_it_and_count(desk):
    rows = series(NORM, [100_000] * 8, **shape((512, 1, 1)))
    rows += series(NORM, [100_000], start=after(rows), **shape((64, 1, 1)))
    rows += series(ADD, [100_000], start=after(rows), **shape((8, 1, 1)))
    desk.ingest(desk.trace(kernels=rows))
    document = parse_strictly(desk.type("plan", "--cover", "80%", "--format", "json").out)
    (command,) = document["commands"]
    assert command["launches"] == len(command["kernels"]) == 2
    assert command["time_ratio"] == pytest.approx(0.9)


def test_other_shapes_of_a_chosen_name_count_before_the_next_name(desk):
    rows = series(NORM, [100_000] * 50, **shape((512, 1, 1)))
    rows += series(ADD, [100_000] * 20, start=after(rows), **shape((512, 1, 1)))
    rows += series(NORM, [100_000] * 19, start=after(rows), **shape((64, 1, 1)))
    rows += series(GEMM, [100_000] * 11, start=after(rows), **shape((7, 1, 1)))
    desk.ingest(desk.trace(kernels=rows))
    # the norm has 50 % + 19 %
    (words,) = planned(desk, "--cover", "65%")
    assert measures(words, NORM, ADD, GEMM) == [NORM]
    # by name, not by launch shape: 11 + 69 %
    assert len(planned(desk, "--cover", "70%")) == 2


def test_shapes_that_differ_in_dynamic_shared_memory_only_are_told_apart(desk):
    rows = series(NORM, [100_000] * 8, dynamicSharedMemory=0)
    rows += series(NORM, [90_000] * 8, start=after(rows), dynamicSharedMemory=32_768)
    desk.ingest(desk.trace(kernels=rows))
    (words,) = planned(desk)
    assert metrics(words)[-1] == "launch__shared_mem_per_block_dynamic"
    assert "tells launches apart" in comments(desk.type("plan"))


def test_mangled_names_are_looked_for_as_mangled(desk):
    mangled = "_Z5scalePfi"
    desk.ingest(desk.trace(kernels=series(mangled, [100_000] * 4)))
    (words,) = planned(desk)
    assert option(words, "--kernel-name-base") == "mangled"
    assert measures(words, mangled) == [mangled]


def test_names_hold_anything_and_the_terminal_sees_none_of_it(desk):
    nasty = "evil'\x1b[31m`rm -rf ~`$(id)\n\u202e<(int)4>(float *, T2)"
    desk.ingest(desk.trace(kernels=series(nasty, [100_000] * 4)))
    done = desk.type("plan")
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    (words,) = planned(desk)
    assert measures(words, nasty) == [nasty]


def test_names_that_no_expression_tells_apart_are_left_out(desk):
    rows = series("ядро", [100_000] * 3)
    rows += series("ядра", [100_000] * 2, start=after(rows), **shape((8, 1, 1)))
    rows += series(NORM, [100_000] * 5, start=after(rows), **shape((64, 1, 1)))
    desk.ingest(desk.trace(kernels=rows))
    done = desk.type("plan", "--cover", "100%")
    (words,) = planned(desk, "--cover", "100%")
    assert measures(words, "ядро", "ядра", NORM) == [NORM]
    text = comments(done)
    assert "for 100 % (50 % of all kernel time)" in text
    assert "Left out, 50 % of kernel time: ядро, ядра: in printable ASCII" in text


def test_no_argument_is_longer_than_a_system_takes(desk):
    numbers = [f"(int){number}" for number in range(9000)]
    first = f"void M<{','.join(numbers)}>(int)"
    second = first.replace("(int)4500,", "(int)7,")
    rows = series(first, [100_000] * 3, mangledName=None)
    rows += series(second, [100_000] * 2, start=after(rows), mangledName=None, **shape((8, 1, 1)))
    desk.ingest(desk.trace(kernels=rows))
    (words,) = planned(desk, "--cover", "100%")
    assert measures(words, first, second) == [first, second]
    assert max(map(len, words)) < 131_072


def test_nothing_of_the_profiled_machine_stands_in_a_plan(desk):
    three_kernels(desk)
    done = desk.type("plan", "--cover", "1")
    assert not [secret for secret in SECRETS if secret in done.out + done.err]


# Counters -------------------------------------------------------------------------------


def sparse(*families):
    return [f"{name}_sparsity_{side}" for name in families for side in ("off", "on")]


AMPERE = [
    *sparse("src_bf16_dst_fp32", "src_fp16_dst_fp16", "src_fp16_dst_fp32", "src_tf32_dst_fp32"),
    *sparse("src_int8", "src_int4"),
    "src_fp64",
    "src_int1",
]
BLACKWELL = [
    *("src_bf16_dst_fp32", "src_fp16_dst_fp16", "src_fp16_dst_fp32", "src_tf32_dst_fp32"),
    *("src_fp64", "src_int8"),
]


@pytest.mark.parametrize(
    ("compute", "tensor", "pipe", "packed"),
    [
        ((7, 0), [], True, False),
        ((7, 5), ["src_fp16_bf16_tf32_dst_fp32", "src_fp16_dst_fp16", "src_int8", "src_int4",
                  "src_int1"], True, False),
        ((8, 0), AMPERE, True, False),
        ((8, 6), AMPERE, True, False),
        ((8, 9), [*AMPERE, *sparse("src_fp8")], True, False),
        ((9, 0), ["src_bf16_dst_fp32", "src_fp16", "src_tf32_dst_fp32", "src_fp64", "src_int8",
                  "src_int1", *sparse("src_fp8")], True, False),
        ((10, 0), [*BLACKWELL, "src_fp4_dst_fp32", "src_fp4_fp6_fp8_dst_fp16",
                   "src_fp4_fp6_fp8_dst_fp32"], False, True),
        ((12, 0), [*BLACKWELL, *sparse("src_fp4_dst_fp32", "src_fp4_fp6_dst_fp16",
                                       "src_fp4_fp6_dst_fp32", "src_fp8_dst_fp16",
                                       "src_fp8_dst_fp32")], False, False),
    ],
)  # fmt: skip
def test_the_counters_are_those_that_the_chip_needs(desk, compute, tensor, pipe, packed):
    three_kernels(desk, gpus=[A100 | {"compute": compute}])
    (words,) = planned(desk, "--cover", "60%", "--hw", "a100")
    other_dram = ["dram__bytes_op_read.sum", "dram__bytes_op_write.sum"]
    expected = [
        *TIME_AND_SPEED,
        *DRAM,
        *(other_dram if compute == (12, 0) else []),
        "lts__t_bytes.sum",
        *INSTRUCTIONS,
        *([INSTRUCTION.format(f"f{op}2") for op in ("add", "mul", "fma")] if packed else []),
        *([PIPE] if pipe else []),
        *(f"sm__ops_path_tensor_{name}.sum" for name in tensor),
    ]
    assert sorted(metrics(words)) == sorted(expected)


def test_an_unknown_chip_gets_what_every_chip_counts(desk):
    three_kernels(desk, gpus=())
    (words,) = planned(
        desk, "--cover", "60%", "--hw", desk.text("my.toml", HARDWARE_WITHOUT_CAPABILITY)
    )
    assert metrics(words) == [
        *TIME_AND_SPEED, "dram__bytes.sum", "lts__t_bytes.sum", *INSTRUCTIONS
    ]  # fmt: skip


HARDWARE_WITHOUT_CAPABILITY = """
name = "My GPU"
bandwidth_bytes_per_s = 1e12
[peak_flop_per_s]
fp32 = 1e13
"""


def test_two_chips_get_their_own_counters_and_devices(desk):
    other = A100 | {
        "name": "Tesla T4", "chip": "TU104", "compute": (7, 5), "id": 1, "cuda_ordinal": 1,
        "bus": "0000:42:00.0", "uuid": "a1000000-0000-4000-8000-000000000002", "sm_count": 40,
        "bandwidth_bytes_per_s": 320_000_000_000, "memory_bytes": 16_000_000_000,
    }  # fmt: skip
    rows = series(NORM, [100_000] * 6)
    rows += series(NORM, [200_000] * 6, start=after(rows), deviceId=1)
    desk.ingest(desk.trace(gpus=[A100, other], kernels=rows))
    first, second = planned(desk)
    assert (option(first, "--devices"), option(second, "--devices")) == ("1", "0")
    assert "sm__ops_path_tensor_src_fp16_bf16_tf32_dst_fp32.sum" in metrics(first)
    assert "sm__ops_path_tensor_src_fp64.sum" in metrics(second)


# What is there already ------------------------------------------------------------------


def raw_page(words, kernel_name, grid, value=1000):
    """Print a raw page as a planned command would: one row of names, one of units, one launch."""
    names = metrics(words)
    units = ["ns" if "time" in name else "%" if "pct" in name else "" for name in names]
    launch = {
        "ID": "0", "Process ID": "5", "Process Name": "app", "Host Name": "host",
        "Kernel Name": kernel_name, "Context": "1", "Stream": "7", "Block Size": "(256, 1, 1)",
        "Grid Size": str(grid), "Device": "0", "CC": "8.0",
    }  # fmt: skip
    values = ["50.5" if "pct" in name else str(value) for name in names]
    return csv_text(
        [*launch, *names], ["" for _ in launch] + units, [*launch.values(), *values]
    )  # fmt: skip


def test_what_the_planned_command_prints_measures_the_kernel(desk):
    desk.ingest(desk.trace(kernels=series(NORM, [100_000] * 6, **shape((512, 1, 1)))))
    (words,) = planned(desk)
    counters = desk.text(option(words, "--log-file"), raw_page(words, NORM, (512, 1, 1)))
    assert desk.type("ingest", "--run", "trace", counters).code == 0
    row = only(desk.document())
    assert row["match"]["level"] == "shape"
    assert row["dram_bytes"] == 1000
    # dadd, dmul: 1 each, dfma: 2; the same of FP32; half instructions are packed pairs
    assert row["flop_by_precision"]["fp64"] == row["flop_by_precision"]["fp32"] == 4000
    assert row["not_collected"] == []
    done = desk.type("plan")
    assert (done.code, done.err) == (0, "")
    assert "nothing to measure: bytes and FLOP are known for 100 %" in comments(done)
    assert not [line for line in done.out.splitlines() if line[:1] != "#"]


def test_a_later_plan_does_not_write_over_the_files_of_the_first(desk):
    three_kernels(desk)
    (words,) = planned(desk, "--cover", "60%")
    counters = desk.text(option(words, "--log-file"), raw_page(words, NORM, (512, 1, 1)))
    assert desk.type("ingest", "--run", "trace", counters).code == 0
    (words,) = planned(desk, "--cover", "100%")
    assert measures(words, NORM, GEMM, ADD) == [GEMM, ADD]
    assert option(words, "--log-file") == "trace.counters-2.csv"


def completed(desk, name, known, compute=(8, 0)):
    """Trace a kernel with some counters; gives what is asked for, and collects it."""
    gpu, cc = A100 | {"compute": compute}, ".".join(map(str, compute))
    desk.ingest(desk.trace(kernels=series(name, [100_000] * 6), gpus=[gpu]),
                desk.counters(profiled(name, known, cc=cc)))  # fmt: skip
    (words,) = planned(desk)
    more = desk.text("more.csv", raw_page(words, name, (128, 2, 1)).replace('"8.0"', f'"{cc}"'))
    assert desk.type("ingest", "--run", "trace", more).code == 0
    assert "nothing to measure" in desk.type("plan").out
    return metrics(words)


def test_a_run_without_bytes_is_asked_for_bytes_only(desk):
    assert completed(desk, NORM, {"fp32": (0, 0, 1000)}) == DRAM


def test_a_run_without_operations_is_asked_for_those_only(desk):
    assert completed(desk, GEMM, {"dram": 1000}) == [
        *INSTRUCTIONS, PIPE, *(f"sm__ops_path_tensor_{name}.sum" for name in AMPERE)
    ]  # fmt: skip


def test_counters_of_the_other_prefix_are_the_same_counters(desk):
    known = {name.replace("smsp__", "sm__"): 0 for name in INSTRUCTIONS}
    asked = completed(desk, GEMM, {"dram": 1000, PIPE: 640_000, **known}, compute=(9, 0))
    assert len(asked) == 8
    assert all(name.startswith("sm__ops_path_tensor_") for name in asked)


def test_ambiguous_counters_are_collected_anew(desk):
    twins = [f"void at::native::copy<({kind})1>(float *)" for kind in ("int", "bool")]
    rows = series(twins[0], [100_000] * 6)
    rows += series(twins[1], [100_000] * 6, start=after(rows))
    counters = desk.counters(profiled("void copy<1>(float *)", {"dram": 1000, "fp32": (0, 0, 9)}))
    desk.ingest(desk.trace(kernels=rows), counters)
    first, second = planned(desk)
    assert sorted(measures(first, *twins) + measures(second, *twins)) == sorted(twins)


def test_counters_alone_can_be_completed(desk):
    counters = profiled("void copy<4>(float *)", {"ncu_ns": 1000, "fp32": (0, 0, 9)})
    desk.ingest(desk.counters(counters))
    (words,) = planned(desk, "--hw", "a100")
    assert sorted(metrics(words)) == sorted(DRAM)
    assert "--rename-kernels" not in words


# What can't be measured -----------------------------------------------------------------


def test_collectives_are_left_out_and_do_not_count(desk):
    rows = series(NORM, [100_000] * 5, **shape((512, 1, 1)))
    rows += series(ALL_REDUCE, [100_000] * 5, start=after(rows), **shape((24, 1, 1)))
    desk.ingest(desk.trace(kernels=rows))
    done = desk.type("plan", "--cover", "100%")
    (words,) = planned(desk, "--cover", "100%")
    assert measures(words, NORM, ALL_REDUCE) == [NORM]
    text = comments(done)
    assert "for 100 % (50 % of all kernel time)" in text
    assert "Left out, 50 % of kernel time: ncclDevKernel_AllReduce_Sum_f16_RING_LL" in text
    assert "would wait for ever" in text


def test_a_run_of_collectives_has_nothing_to_measure(desk):
    desk.ingest(desk.trace(kernels=series(ALL_REDUCE, [100_000] * 5)))
    done = desk.type("plan")
    assert done.code == 0
    assert "no kernel of this run can be measured" in comments(done)


@pytest.mark.parametrize("known", [None, {"fp32": (0, 0, 10)}], ids=["nothing", "FLOP"])
def test_a_chip_without_dram_counters_has_nothing_to_measure(desk, known):
    gpu = A100 | {"compute": (8, 7)}
    counters = [desk.counters(profiled(NORM, known, cc="8.7"))] if known else []
    desk.ingest(desk.trace(kernels=series(NORM, [100_000] * 6), gpus=[gpu]), *counters)
    assert planned(desk, "--hw", "a100") == []
    text = comments(desk.type("plan", "--hw", "a100"))
    assert "no kernel of this run can be measured" in text
    assert "ncu has no DRAM counters for compute capability 8.7" in text


def test_what_no_counter_of_a_chip_can_tell_is_left_out(desk):
    # of a chip of the future, only what every chip counts is known: nothing of tensor cores
    known = {"dram": 1000, **dict.fromkeys(INSTRUCTIONS, 0)}
    desk.ingest(desk.trace(kernels=series(GEMM, [100_000] * 6), gpus=[A100 | {"compute": (13, 7)}]),
                desk.counters(profiled(GEMM, known, cc="13.7")))  # fmt: skip
    done = desk.type("plan", "--hw", "a100")
    assert "all counters of its walls were collected" in comments(done)


def test_a_kernel_without_a_name_is_left_out(desk):
    nameless = {"demangledName": "", "shortName": "", "mangledName": ""}
    desk.ingest(desk.trace(kernels=[row | nameless for row in series(NORM, [100_000] * 6)]))
    assert "the trace has no name for it" in comments(desk.type("plan"))


def test_without_any_time_there_is_nothing_to_plan(desk):
    desk.ingest(desk.counters(profiled(NORM, {"dram": 1000})))
    done = desk.type("plan", "--hw", "a100")
    assert (done.code, done.out) == (
        0,
        "# nsys-walls plan counters: no kernel time was traced, so there is nothing to measure.\n",
    )
    document = parse_strictly(desk.type("plan", "--hw", "a100", "--format", "json").out)
    assert document["measured_time_ratio"] is None
    assert document["commands"] == []


def test_counters_tell_the_chip_where_the_trace_does_not(desk):
    rows = series(NORM, [100_000] * 2, **shape((512, 1, 1)))
    rows += series(ADD, [100_000] * 6, start=after(rows), **shape((8, 1, 1)))
    desk.ingest(desk.trace(kernels=rows, gpus=()),
                desk.counters(profiled(NORM, {"dram": 1}, grid=(512, 1, 1), cc="7.5")))  # fmt: skip
    (words,) = planned(desk, "--hw", desk.text("my.toml", HARDWARE_WITHOUT_CAPABILITY))
    assert "sm__ops_path_tensor_src_int1.sum" in metrics(words)


def test_kernels_hidden_in_graphs_are_named(desk):
    rows = series(NORM, [100_000] * 6)
    desk.ingest(desk.trace(kernels=rows, graphs=[graph(after(rows), after(rows) + 700_000)]))
    text = comments(desk.type("plan"))
    assert "700 µs of kernels are hidden in CUDA graphs" in text
    assert "--cuda-graph-trace=node" in text


SUMMARY = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"


def summary(desk, *counters, **longest_ns):
    """Ingest a summary of 10 launches a name, the shortest of 100 us, and counters with it."""
    names = {"norm": NORM, "add": ADD}
    rows = [
        f'50.0,1000000,10,100000.0,100000.0,100000,{most},0.0,"{names[name]}"'
        for name, most in longest_ns.items()
    ]
    desk.ingest(desk.text("sums.csv", "\n".join([SUMMARY, *rows]) + "\n"), *counters)


def test_a_summary_has_no_shapes_so_names_stand_alone(desk):
    summary(desk, norm=100_000, add=150_000)
    first, second = planned(desk, "--hw", "a100")
    assert sorted(measures(first, NORM, ADD) + measures(second, NORM, ADD)) == sorted([NORM, ADD])
    text = comments(desk.type("plan", "--hw", "a100"))
    assert "This run has no launch shapes" in text
    assert "as traced" not in text


def test_a_name_of_a_summary_that_mixes_shapes_is_left_out(desk):
    # 1.51 times as long: counters of either shape would be ambiguous
    summary(desk, norm=100_000, add=151_000)
    (words,) = planned(desk, "--hw", "a100", "--cover", "100%")
    assert measures(words, NORM, ADD) == [NORM]
    assert (
        "Left out, 50 % of kernel time: add: launches without shapes share its name and their "
        "times differ more than 1.5-fold, so it mixes shapes: export cuda_gpu_trace or SQLite."
    ) in comments(desk.type("plan", "--hw", "a100"))


def test_a_name_of_a_summary_without_a_shortest_time_may_mix_shapes(desk):
    text = f'{SUMMARY}\n50.0,1000000,10,100000.0,100000.0,0,100000,0.0,"{NORM}"\n'
    desk.ingest(desk.text("sums.csv", text))
    assert planned(desk, "--hw", "a100") == []
    text = comments(desk.type("plan", "--hw", "a100"))
    assert "their times differ by an unknown factor, so it mixes shapes" in text


def test_a_name_of_a_summary_that_has_two_shapes_is_not_planned_again(desk):
    grids = [(512, 1, 1), (64, 1, 1)]
    profiles = [profiled(NORM, {"dram": 1000, "fp32": (0, 0, 9)}, grid=grid) for grid in grids]
    summary(desk, desk.counters(*profiles), norm=100_000)
    assert planned(desk, "--hw", "a100") == []
    assert "counters of 2 launch shapes fit" in comments(desk.type("plan", "--hw", "a100"))


# Formats and mistakes -------------------------------------------------------------------


def test_json_holds_the_same_plan(desk):
    three_kernels(desk)
    document = parse_strictly(desk.type("plan", "--cover", "90%", "--format", "json").out)
    assert (document["schema"], document["run"]) == ("nsys-walls/plan/1", "trace")
    assert document["cover"] == 0.9
    assert document["measured_time_ratio"] == 0
    assert document["planned_time_ratio"] == pytest.approx(0.9)
    assert document["measurable_time_ratio"] == 1
    (command,) = document["commands"]
    (words,) = planned(desk, "--cover", "90%")
    assert command["words"] == words
    assert shlex.split(command["command"]) == [*words, "PROGRAM", "ARGS..."]
    assert command["metrics"] == metrics(words)
    assert command["file"] == "trace.counters-1.csv"
    assert command["compute_capability"] == "8.0"
    assert [row["time_ns"] for row in command["kernels"]] == [600_000, 300_000]
    assert command["passes"] == 16
    assert command["replay_ns"] == document["replay_ns"] == 16 * 200_000
    assert document["program_ns"] == 1_045_000
    assert document["left_out"] == []


def test_json_names_what_is_left_out(desk):
    desk.ingest(desk.trace(kernels=series(ALL_REDUCE, [100_000] * 5)))
    document = json.loads(desk.type("plan", "--format", "json").out)
    (row,) = document["left_out"]
    assert row["time_ratio"] == 1
    assert "collective" in row["reason"]


def test_a_plan_goes_to_a_file(desk):
    three_kernels(desk)
    shown = desk.type("plan", "-o", "-").out
    done = desk.type("plan", "-o", "scripts/plan.sh")
    assert done.out == "written: scripts/plan.sh\n"
    assert (desk.folder / "scripts" / "plan.sh").read_text("utf-8") == shown


@pytest.mark.parametrize("cover", ["0", "101%", "-5%", "most", "nan"])
def test_a_share_that_is_none(desk, cover):
    three_kernels(desk)
    done = desk.type("plan", f"--cover={cover}")
    assert (done.code, done.slugs) == (2, ["option-value"])


def test_a_format_that_is_none(desk):
    three_kernels(desk)
    done = desk.type("plan", "--format", "html")
    assert (done.code, done.slugs) == (2, ["unknown-format-name"])


def test_warnings_of_the_trace_go_to_stderr(desk):
    three_kernels(desk)
    done = desk.type("plan", "--hw", "h100-sxm5")
    assert "hw-contradicts-trace" in done.slugs
    assert "warning" not in done.out


# Parts of a run -------------------------------------------------------------------------


def test_what_ncu_can_be_told_of_a_selection_it_is_told(desk):
    rows = series(NORM, [100_000] * 6, **shape((512, 1, 1)))
    rows += series(ADD, [100_000] * 6, start=after(rows), **shape((8, 1, 1)))
    made = with_calls(rows)
    spans = [nvtx(made["calls"][0]["start"] - 1, made["calls"][5]["end"] + 1, "step/1")]
    desk.ingest(desk.trace(**made, nvtx=spans))
    (words,) = planned(desk, "--nvtx", "step/1", "--device", "0", "--stream", "7")
    assert measures(words, NORM, ADD) == [NORM]
    assert "--nvtx" in words
    assert option(words, "--nvtx-include") == r"step\/1/"
    assert option(words, "--devices") == "0"
    text = comments(desk.type("plan", "--nvtx", "step/1", "--device", "0", "--window", "0s:"))
    assert "for start-end ranges leave out the slash" in text
    assert "--devices has the numbers of this run" in text
    assert "ncu can't be told a window or streams" in text


def test_kernels_are_chosen_by_name(desk):
    three_kernels(desk)
    (words,) = planned(desk, "--kernel", "gemm")
    assert measures(words, NORM, GEMM, ADD) == [GEMM]
