"""Nsight Compute CSVs as people have them; the GPU is named, since no trace does it."""

import pytest
from support.ncu_files import LONG, METRIC, PROCESS, RULE, csv_text
from support.ncu_files import row as cells
from support.pipeline import by_name, only, profiled, warned, write_counters

A100 = ("--hw", "a100-sxm4-40")
SOL, MEMORY = "GPU Speed Of Light Throughput", "Memory Workload Analysis"
PERCENT = "avg.pct_of_peak_sustained_elapsed"


def test_banners_and_program_output_around_the_header_are_no_launches(desk):
    name = "blend(float *, const float *, float)"
    launch = profiled(name, {"dram": 75_497_472, "ncu_ns": 61_440, "fp32": (0, 0, 6_291_456)})
    table = write_counters(desk.folder / "plain.csv", launch).read_text()
    noisy = desk.text(
        "noisy.csv",
        'Could not deploy stock section files to "/root/Documents/NVIDIA Nsight Compute"\n'
        "==PROF== Connected to process 977 (/opt/bin/app)\n"
        'step 3, loss 1.25, "momentum" 0.9\n'
        '"epoch","Metric Value","0.5"\n'
        "==WARNING== Found outstanding GPU clock reset, trying to revert...Success.\n"
        '==PROF== Profiling "blend" - 0: 0%....50%....100% - 4 passes\n'
        f"{table}"
        "finished, 4 steps\n"
        "==PROF== Disconnected from process 977\n",
    )
    row = only(desk.report(noisy, options=A100))
    assert (row["full_name"], row["launches"], row["time_ns"]) == (name, 1, 61_440)
    # 2 x 6,291,456; 12,582,912 / 75,497,472; 75,497,472 B / 61,440 ns
    assert row["flop"] == 12_582_912
    assert row["dram_bytes"] == 75_497_472
    assert row["intensity_flop_per_byte"] == pytest.approx(1 / 6)
    assert row["bytes_per_s"] == pytest.approx(1228.8e9)


def test_thousands_separators_do_not_cost_the_large_counters(desk):
    counters = {
        "dram": 2_147_483_648,
        "ncu_ns": 1_638_400,
        "fp32": (33_554_432, 1_048_576, 100_663_296),
    }
    path = desk.counters(profiled("jacobi(float *, int)", counters))
    assert '"2,147,483,648"' in path.read_text()
    row = only(desk.report(path, options=A100))
    # 33,554,432 + 1,048,576 + 2 x 100,663,296 = 235,929,600; / 2,147,483,648
    assert row["flop"] == 235_929_600
    assert row["intensity_flop_per_byte"] == pytest.approx(0.10986328125)
    # 2,147,483,648 B / 1,638,400 ns
    assert row["bytes_per_s"] == pytest.approx(1310.72e9)


FFMA = "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"


def _scaled(name, size, time, ffma):
    """Rows of one launch whose values carry units as given: (unit, value)."""
    values = {"dram__bytes.sum": size, "gpu__time_duration.sum": time, FFMA: ("inst", ffma)}
    return [cells(metric, *value, Kernel_Name=name) for metric, value in values.items()]


def test_auto_scaled_units_differ_per_row_and_are_decimal(desk):
    rows = [
        *_scaled("tiny(float *)", ("Kbyte", "61.44"), ("nsecond", "1,920"), "7,680"),
        *_scaled("mid(float *)", ("Mbyte", "25.165824"), ("us", "20.48"), "4,194,304"),
        *_scaled("big(float *)", ("Gbyte", "3.221225"), ("msecond", "2.50"), "268,435,456"),
    ]
    path = desk.text("auto.csv", csv_text(LONG, *rows))
    kernels = by_name(desk.report(path, options=A100))
    found = {
        name: (row["dram_bytes"], row["median_ns"], row["bytes_per_s"] / 1e9,
               row["intensity_flop_per_byte"])
        for name, row in kernels.items()
    }  # fmt: skip
    assert found == {
        # 61,440 B / 1,920 ns; 2 x 7,680 / 61,440
        "tiny": pytest.approx((61_440, 1_920, 32.0, 0.25)),
        # 25,165,824 B / 20,480 ns; 8,388,608 / 25,165,824
        "mid": pytest.approx((25_165_824, 20_480, 1228.8, 1 / 3)),
        # with factors of 1024 it would be 1383.5 GB/s
        "big": pytest.approx((3_221_225_000, 2_500_000, 1288.49, 536_870_912 / 3_221_225_000)),
    }


@pytest.mark.parametrize(
    ("unit", "value"),
    [
        ("nsecond", "51,200"),
        ("ns", "51200"),
        ("usecond", "51.20"),
        ("us", "51.2"),
        ("msecond", "0.0512"),
        ("ms", "0.0512"),
        ("second", "0.0000512"),
        ("s", "5.12e-05"),
    ],
)
def test_every_spelling_of_a_time_is_the_same_time(desk, unit, value):
    rows = _scaled("k(float *)", ("byte", "1,024"), (unit, value), "8")
    row = only(desk.report(desk.text("time.csv", csv_text(LONG, *rows)), options=A100))
    assert row["time_ns"] == 51_200


LAUNCH = {"Kernel_Name": "bias_gelu(float *, const float *)"}
WIDTHS = {
    "before 2022, without shapes": (
        *PROCESS, "Kernel Name", "Kernel Time", "Context", "Stream", *METRIC),
    "15 columns": LONG,
    "18 columns": (*LONG, *RULE),
    "20 columns": (*LONG, *RULE, "Estimated Speedup Type", "Estimated Speedup"),
}  # fmt: skip


def _details_page(columns, share, rate):
    """Write a details page in which two sections have a Memory Throughput."""
    rule = cells(
        "", "", "", columns, Section_Name=SOL, Rule_Name="SOLBottleneck", Rule_Type="OPT",
        Rule_Description='Neither is busy.\nLook at "Launch Statistics", then at the "L2".',
        Estimated_Speedup_Type="global", Estimated_Speedup="31.5", **LAUNCH,
    )  # fmt: skip
    return csv_text(
        columns,
        cells("DRAM Frequency", "Ghz", "1.21", columns, Section_Name=SOL, **LAUNCH),
        cells("Memory Throughput", "%", share, columns, Section_Name=SOL, **LAUNCH),
        cells("Duration", "us", "19.20", columns, Section_Name=SOL, **LAUNCH),
        *([rule] if "Rule Name" in columns else []),
        cells("Memory Throughput", "Gbyte/s", rate, columns, Section_Name=MEMORY, **LAUNCH),
        cells("L2 Hit Rate", "%", "61.75", columns, Section_Name=MEMORY, **LAUNCH),
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_columns_of_the_details_page_are_found_by_name(desk, width):
    columns = WIDTHS[width]
    path = desk.text("details.csv", _details_page(columns, "41.75", "640.25"))
    document = desk.report(path, options=A100)
    row = only(document)
    assert (row["launches"], row["time_ns"]) == (1, 19_200)
    assert row["full_name"] == "bias_gelu(float *, const float *)"
    assert row["grid"] == ([640, 2, 1] if "Grid Size" in columns else None)
    # the row after the rule, with its line break, was read as well
    (stored,) = desk.stored("counters")
    assert 61.75 in dict(stored["values"]).values()


def test_one_label_in_two_sections_stays_two_metrics(desk):
    desk.ingest(desk.text("details.csv", _details_page(LONG, "41.75", "640.25")))
    (stored,) = desk.stored("counters")
    values = dict(stored["values"])
    assert values[f"gpu__compute_memory_throughput.{PERCENT}"] == 41.75
    assert list(values.values()).count(41.75) == 1
    assert list(values.values()).count(640.25e9) == 1


def test_a_details_page_without_work_says_what_to_collect(desk):
    path = desk.text("details.csv", _details_page(LONG, "41.75", "640.25"))
    document = desk.report(path, options=A100)
    row = only(document)
    assert (row["flop"], row["dram_bytes"], row["bandwidth_ratio"]) == (None, None, None)
    advice = " ".join(row["notes"])
    assert "collect" in advice
    assert "dram__bytes.sum" in advice
    assert "smsp__sass_thread_inst_executed_op_" in advice
    assert document["totals"]["measured_time_ratio"] == 0
    assert "counters only" in warned(document, "counters-only")


def test_the_raw_page_has_a_second_header_row_with_the_units(desk):
    launch = ("977", "app", "host")
    path = desk.text(
        "raw.csv",
        csv_text(
            (*PROCESS, "Kernel Name", "Block Size", "Grid Size", "Device", "CC",
             "dram__bytes.sum", "gpu__time_duration.sum",
             *(FFMA.replace("ffma", op) for op in ("fadd", "fmul", "ffma"))),
            (*[""] * 9, "Mbyte", "us", "inst", "inst", "inst"),
            ("0", *launch, "scale_sum(float *)", "(256, 1, 1)", "(512, 1, 1)", "0", "8.0",
             "12.582912", "10.24", "0", "1,048,576", "3,145,728"),
            ("1", *launch, "dot(float *)", "(128, 1, 1)", "(640, 1, 1)", "0", "8.0",
             "33.685504", "25.6", "131,072", "0", "4,194,304"),
        ),
    )  # fmt: skip
    document = desk.report(path, options=A100)
    assert document["totals"]["launches"] == 2
    kernels = by_name(document)
    # 12,582,912 B / 10,240 ns; 1,048,576 + 2 x 3,145,728 = 7,340,032
    assert kernels["scale_sum"]["bytes_per_s"] == pytest.approx(1228.8e9)
    assert kernels["scale_sum"]["flop"] == 7_340_032
    assert kernels["scale_sum"]["intensity_flop_per_byte"] == pytest.approx(7 / 12)
    # 33,685,504 B / 25,600 ns; 131,072 + 2 x 4,194,304 = 8,519,680
    assert kernels["dot"]["bytes_per_s"] == pytest.approx(1315.84e9)
    assert kernels["dot"]["flop"] == 8_519_680
    assert kernels["dot"]["intensity_flop_per_byte"] == pytest.approx(8_519_680 / 33_685_504)
    assert kernels["dot"]["block"] == [128, 1, 1]
