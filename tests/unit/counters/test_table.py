"""The counter table: sources, patterns, labels, and what each chip's walls need."""

import tomllib
from importlib.resources import files

import pytest

from nsys_walls.counters.table import (
    Route,
    TensorName,
    load_table,
    recommended_metrics,
    split_tensor_name,
)

CAPABILITIES = (
    *("7.0", "7.2", "7.5", "8.0", "8.6", "8.7", "8.9", "9.0"),
    *("10.0", "10.3", "11.0", "12.0", "12.1"),
)
SECTION_OF_SPEED = "GPU Speed Of Light Throughput"


def rows():
    text = files("nsys_walls").joinpath("data", "ncu_metrics.toml").read_text("utf-8")
    return [(kind, row) for kind, group in tomllib.loads(text).items() for row in group]


@pytest.mark.parametrize(("kind", "row"), rows())
def test_every_row_names_a_public_source(kind, row):
    assert kind
    assert len(row["source"]) > 15
    assert "index id" not in row["source"]


@pytest.mark.parametrize(
    ("kind", "key"),
    [("instruction", "counter"), ("tensor", "name"), ("pipe", "counter"), ("keep", "pattern"),
     ("chip", "compute_capability"), ("traffic", "sum"), ("cycles", "counter")],
)  # fmt: skip
def test_no_row_stands_twice(kind, key):
    keys = [repr(row[key]) for found, row in rows() if found == kind]
    assert keys
    assert len(keys) == len(set(keys))


def test_chips_are_the_ones_that_ncu_profiles():
    assert tuple(load_table().chips) == CAPABILITIES


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_families_of_a_chip_are_in_the_table(capability):
    table = load_table()
    chip = table.chips[capability]
    assert set(chip.sparsity_split) <= set(chip.tensor) <= set(table.families)
    assert {split_tensor_name(name).family for name in chip.tensor_parts} <= set(table.families)
    assert table.precisions(chip)
    assert all(name.endswith("_tensor") or "_tensor_" in name for name in table.precisions(chip))


# How many counters NVIDIA's tensor roofline has per chip, those by instruction left out where
# totals hold them too: 5, 14 and 16 are its whole tables; of 28, 35, 37 and 26 rows 20, 26, 28
# and 10 are by instruction. Of those of 10.3 four count what no total does.
@pytest.mark.parametrize(
    ("capability", "count"),
    [("7.5", 5), ("8.0", 14), ("8.6", 14), ("8.7", 14), ("8.9", 16), ("9.0", 8), ("10.0", 9),
     ("10.3", 9 + 4), ("11.0", 9), ("12.0", 16), ("12.1", 16)],
)  # fmt: skip
def test_tensor_counters_of_a_chip(capability, count):
    metrics = [name for name in recommended_metrics(capability) if "ops_path_tensor" in name]
    assert len(metrics) == len(set(metrics)) == count


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_recommended_metrics_are_complete_names_that_are_kept(capability):
    metrics = recommended_metrics(capability)
    assert len(metrics) == len(set(metrics))
    assert all(load_table().wants(name) for name in metrics)
    assert metrics[0] == "gpu__time_duration.sum"
    assert "sm__throughput.avg.pct_of_peak_sustained_elapsed" in metrics
    triple = [f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum" for op in ("fadd", "ffma")]
    assert set(triple) <= set(metrics)


@pytest.mark.parametrize(
    ("capability", "present", "absent"),
    [
        ("7.0", ["sm__inst_executed_pipe_tensor.sum"], ["fadd2", "ops_path"]),
        (
            "8.0",
            [
                "sm__ops_path_tensor_src_tf32_dst_fp32_sparsity_on.sum",
                "sm__inst_executed_pipe_tensor.sum",
                "dram__bytes.sum",
            ],
            ["_op_read", "fp8"],
        ),
        ("8.7", ["lts__t_bytes.sum"], ["dram__"]),
        ("11.0", ["lts__t_bytes.sum"], ["dram__"]),
        ("12.1", ["lts__t_bytes.sum"], ["dram__"]),
        ("9.0", ["sm__ops_path_tensor_src_fp16.sum"], ["op_hgmma"]),
        (
            "10.3",
            [
                "sm__ops_path_tensor_op_utcqmma_src_fp8_dst_fp32_sparsity_off.sum",
                "smsp__sass_thread_inst_executed_op_ffma2_pred_on.sum",
            ],
            ["pipe_tensor", "fp4_fp6_fp8"],
        ),
        (
            "12.0",
            ["dram__bytes_read.sum", "dram__bytes_op_read.sum", "dram__bytes_op_write.sum"],
            ["ffma2", "int4"],
        ),
        ("13.7", ["dram__bytes.sum"], ["ops_path", "pipe_tensor", "ffma2"]),
    ],
)
def test_recommended_metrics_follow_the_chip(capability, present, absent):
    metrics = recommended_metrics(capability)
    assert set(present) <= set(metrics)
    assert not [name for name in metrics for part in absent if part in name]


@pytest.mark.parametrize(
    "name",
    [
        "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
        "sm__sass_thread_inst_executed_op_hmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum.per_cycle_elapsed",
        "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
        "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
        "sm__ops_path_tensor_src_int4_sparsity_on.sum",
        "sm__ops_path_tensor_op_qmma_src_fp3_dst_fp99.sum",
        "sm__ops_path_tensor_op_hgmma_src_fp16_sparsity_off.sum.peak_sustained",
        "sm__inst_executed_pipe_tensor.sum",
        "sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__pipe_tensor_cycles_active_v2.avg.pct_of_peak_sustained_elapsed",
        "dram__bytes_op_write.sum",
        "dram__read_bytes.sum",
        "dram__bytes.sum.per_second",
        "lts__t_bytes.sum",
        "l1tex__t_bytes.sum",
        "gpc__cycles_elapsed.max",
        "smsp__cycles_elapsed.avg.per_second",
        "launch__occupancy_limit_registers",
        "launch__waves_per_multiprocessor",
        "launch__shared_mem_per_block_dynamic",
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "device__attribute_global_memory_bus_width",
        "device__attribute_compute_capability_major",
    ],
)
def test_wants(name):
    assert load_table().wants(name)


@pytest.mark.parametrize(
    "name",
    [
        "smsp__inst_executed_op_surface_ld.sum",
        "l1tex__t_sectors_pipe_tex_mem_texture.sum",
        "sm__ops_path_tensor_src_fp16.avg",
        "dram__bytes",
        "xdram__bytes.sum",
        "dram__bytes.sumx",
        "flop_count_sp.sum",
        "device__attribute_pci_bus_id",
        "",
    ],
)
def test_does_not_want(name):
    assert not load_table().wants(name)


@pytest.mark.parametrize(
    ("section", "label", "unit", "name"),
    [
        (SECTION_OF_SPEED, "Duration", "us", "gpu__time_duration.sum"),
        ("GPU Speed Of Light", "Duration", "usecond", "gpu__time_duration.sum"),
        (SECTION_OF_SPEED, "Elapsed Cycles", "cycle", "gpc__cycles_elapsed.max"),
        (
            SECTION_OF_SPEED,
            "Compute (SM) Throughput",
            "%",
            "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        ),
        (
            "GPU Speed Of Light",
            "SM [%]",
            "%",
            "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        ),
        (
            SECTION_OF_SPEED,
            "Memory Throughput",
            "%",
            "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
        ),
        (
            "Memory Workload Analysis",
            "Memory Throughput",
            "Gbyte/s",
            "details__memory_throughput.per_second",
        ),
        (
            "Launch Statistics",
            "Dynamic Shared Memory Per Block",
            "Kbyte/block",
            "launch__shared_mem_per_block_dynamic",
        ),
        ("Launch Statistics", "Waves Per SM", "", "launch__waves_per_multiprocessor"),
        (
            "Occupancy",
            "Achieved Occupancy",
            " % ",
            "sm__warps_active.avg.pct_of_peak_sustained_active",
        ),
        (
            "GPU Speed Of Light Roofline Chart",
            "Predicated-On FADD Thread Instructions Executed Per Cycle",
            "inst/cycle",
            "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum.per_cycle_elapsed",
        ),
    ],
)
def test_from_label(section, label, unit, name):
    assert load_table().from_label(section, label, unit) == name


@pytest.mark.parametrize(
    ("section", "label", "unit"),
    [
        (SECTION_OF_SPEED, "Memory Throughput", "Gbyte/s"),
        ("Memory Workload Analysis", "Memory Throughput", "%"),
        ("Scheduler Statistics", "No Eligible", "%"),
        ("Occupancy", "Duration", "us"),
        (None, "Duration", "us"),
        ("GPU Speed Of Light Roofline Chart", "DRAM Bandwidth", "Gbyte/s"),
    ],
)
def test_labels_that_fit_no_counter(section, label, unit):
    assert load_table().from_label(section, label, unit) is None


def test_clocks_of_different_passes_have_different_names():
    table = load_table()
    speed = table.from_label(SECTION_OF_SPEED, "SM Frequency", "Ghz")
    roofline = table.from_label("GPU Speed Of Light Roofline Chart", "SM Frequency", "Ghz")
    assert speed != roofline


def test_labels_stand_for_names_that_are_kept():
    table = load_table()
    own = {"details__memory_throughput.per_second"}
    assert {name for name in table.labels.values() if not table.wants(name)} == own


def test_the_printed_rate_is_read_by_no_route():
    counters = {name for route in load_table().routes for name in route.sum}
    assert not [name for name in counters if name.startswith("details__")]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("src_fp16_dst_fp32", (None, "src_fp16_dst_fp32", None)),
        ("src_int8_sparsity_off", (None, "src_int8", "off")),
        (
            "op_utcqmma_src_fp4_fp6_fp8_dst_fp16_sparsity_on",
            ("utcqmma", "src_fp4_fp6_fp8_dst_fp16", "on"),
        ),
        ("something_else", (None, "something_else", None)),
    ],
)
def test_split_tensor_name(name, parts):
    op, family, sparsity = parts
    assert split_tensor_name(name) == TensorName(op=op, family=family, sparsity=sparsity)


@pytest.mark.parametrize(
    ("route", "label"),
    [
        (Route(level="dram", sum=("a",)), "a"),
        (Route(level="dram", sum=("a", "b")), "a + b"),
        (Route(level="dram", sum=("a", "b"), bytes=32), "(a + b) x 32"),
        (Route(level="l1", sum=("a",), bytes=128, per_second=True), "a x 128 x ncu duration"),
    ],
)
def test_routes_are_named_by_their_counters(route, label):
    assert route.label == label
