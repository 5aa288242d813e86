"""What people attach and open; how charts are drawn is tested with a browser, elsewhere."""

import pyarrow.parquet as pq
import pytest
from support.nsys_traces import A100, SECRETS, execute, nvtx
from support.pipeline import after, by_name, profiled, ranges, series, shape, warned, with_calls

FP16_OPS = "sm__ops_path_tensor_src_fp16_dst_fp32.sum"


# Size -----------------------------------------------------------------------------------

MULTIPLY = """
    WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < TIMES)
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
    SELECT kernel.* FROM CUPTI_ACTIVITY_KIND_KERNEL AS kernel, n
"""
SPREAD = """
    UPDATE CUPTI_ACTIVITY_KIND_KERNEL
    SET start = 4000 * rowid, "end" = 4000 * rowid + "end" - start
"""


def many_launches(desk, times, name):
    """Trace 50 kernels of 1000, 1020, 1040 ... ns, each so many times."""
    rows = [
        row
        for number in range(50)
        for row in series(f"void decode::op<{number}>(float *)", [1_000 + 20 * number])
    ]
    path = desk.trace(name, kernels=rows)
    execute(path, MULTIPLY.replace("TIMES", str(times)), SPREAD)
    return path


def test_the_page_of_200000_launches_is_no_larger_than_that_of_a_thousand(desk):
    desk.ingest(many_launches(desk, 20, "few.sqlite"))
    few = desk.page()
    desk.ingest(many_launches(desk, 4_000, "many.sqlite"))
    many = desk.page()
    assert many.document["totals"]["launches"] == 200_000
    # 4,000 x (50 x 1,000 + 20 x (0 + 1 + ... + 49)) ns
    assert many.document["totals"]["kernel_ns"] == 298_000_000
    assert len(many.document["kernels"]) == 50
    assert many.size < 6_000_000
    assert many.size == pytest.approx(few.size, rel=0.01)


# Names ----------------------------------------------------------------------------------


def named_page(desk, name, first, second, span):
    """Report 4 x 70 us of one kernel and 4 x 30 us of another, in a range."""
    rows = series(first, [70_000] * 4)
    rows += series(second, [30_000] * 4, start=after(rows))
    made = with_calls(rows)
    spans = [nvtx(made["calls"][0]["start"] - 1, made["calls"][-1]["end"] + 1, span)]
    desk.ingest(desk.trace(name, **made, nvtx=spans))
    return desk.page()


def test_names_with_angle_brackets_are_text_and_change_nothing_in_the_page(desk):
    gather = "void gather<Tile<__half, 8>, </script><i id=y>>(T1 *, T2 *)"
    fill = "void at::native::fill<at::native::FillFunctor<c10::Half>, 4>(int) &amp; <!--"
    span = "<svg onload=alert(2)> \"'`"
    page = named_page(desk, "harmful.sqlite", gather, fill, span)
    document = page.document
    first, second = document["kernels"]
    assert (first["full_name"], first["time_ratio"]) == (gather, pytest.approx(0.7))
    assert (second["full_name"], second["time_ratio"]) == (fill, pytest.approx(0.3))
    assert ranges(document) == {span: 400_000}
    harmless = named_page(desk, "harmless.sqlite", "gather(int)", "fill(int)", "span")
    assert page.skeleton == harmless.skeleton
    # the other formats that may be rendered as HTML somewhere
    assert "<i id=y>" not in desk.render("md", "harmful")


# Walls ----------------------------------------------------------------------------------


def test_kernels_far_out_on_either_side_keep_their_place(desk):
    rows = series("spin(float *, int)", [6_000_000] * 3)
    rows += series("scatter(float *, const int *)", [400_000] * 3, start=after(rows))
    document = desk.report(
        desk.trace(kernels=rows),
        desk.counters(
            profiled("spin(float *, int)",
                     {"dram": 4_194_304, "ncu_ns": 7_500_000, "fp32": (0, 0, 41_943_040_000)}),
            profiled("scatter(float *, const int *)",
                     {"dram": 311_040_000, "ncu_ns": 430_000, "fp32": (1_555_200, 0, 0)}),
        ),
    )  # fmt: skip
    spin, scatter = document["kernels"]
    # 83,886,080,000 FLOP; / 6 ms = 13.98 of 19.5 TFLOP/s
    assert spin["intensity_flop_per_byte"] == 20_000
    assert spin["flop_per_s"] == pytest.approx(13.981e12, rel=1e-4)
    assert (spin["side"], spin["wall"]) == ("compute", "compute")
    # 311.04 MB / 400 us = 777.6 of 1555.2 GB/s
    assert scatter["intensity_flop_per_byte"] == 0.005
    assert scatter["bandwidth_ratio"] == pytest.approx(0.5)
    assert (scatter["side"], scatter["wall"]) == ("memory", "neither")
    assert desk.page().document["kernels"] == [spin, scatter]


def test_a_precision_is_compared_with_its_own_wall_and_none_is_invented(desk):
    p100 = A100 | {
        "name": "Tesla P100-PCIE-16GB", "chip": "GP100", "sm_count": 56, "compute": (6, 0),
        "clock_hz": 1_328_500_000, "memory_bytes": 17_071_734_784,
        "bandwidth_bytes_per_s": 732_160_000_000,
    }  # fmt: skip
    dgemm, axpy = "dgemm_nn(const double *, double *, int)", "saxpby(float *, const float *)"
    rows = series(dgemm, [240_000] * 7)
    rows += series(axpy, [75_000] * 7, start=after(rows))
    document = desk.report(
        desk.trace(gpus=[p100], kernels=rows),
        desk.counters(
            profiled(dgemm, {"dram": 25_165_824, "ncu_ns": 260_000, "dadd": 0, "dmul": 0,
                             "dfma": 402_653_184}, cc="6.0"),
            profiled(axpy, {"dram": 43_929_600, "ncu_ns": 80_000, "fp32": (0, 0, 3_660_800)},
                     cc="6.0"),
        ),
    )  # fmt: skip
    (device,), kernels = document["devices"], by_name(document)
    assert not [precision for precision in device["peak_flop_per_s"] if "tensor" in precision]
    double = kernels["dgemm_nn"]
    # 805,306,368 FLOP / 240 us = 3.355 TFLOP/s of 4.76 in FP64; / 25,165,824 B
    assert (double["precision"], double["intensity_flop_per_byte"]) == ("fp64", 32)
    assert double["flop_per_s"] == pytest.approx(3.35544e12, rel=1e-5)
    assert double["compute_ratio"] == pytest.approx(3.35544 / 4.76, rel=1e-3)
    # 43,929,600 B / 75 us = 585.728 GB/s = 80 % of 732.16
    assert kernels["saxpby"]["precision"] == "fp32"
    assert kernels["saxpby"]["bandwidth_ratio"] == pytest.approx(0.8)
    assert kernels["saxpby"]["intensity_flop_per_byte"] == pytest.approx(1 / 6)


# Privacy --------------------------------------------------------------------------------


def test_nothing_of_host_user_paths_and_environment_leaves_the_trace(desk):
    made = with_calls(series("lm_head(float *)", [130_000] * 5))
    start, end = made["calls"][0]["start"] - 1, made["calls"][-1]["end"] + 1
    path = desk.trace(
        **made, nvtx=[nvtx(start, end, "{'traceMarker': ['/home/alice/moonshot/train.py:34']}")]
    )
    execute(
        path,
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'build-box-7')",
        "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('EnvVars', 'HF_TOKEN=hf_made_up')",
    )
    done = desk.ingest(path)
    document = desk.document()
    forbidden = (*SECRETS, "moonshot", "hf_made_up", "/home/", str(desk.folder))
    written = {name: desk.render(name) for name in ("html", "json", "md", "text", "csv")} | {
        "what ingest printed": done.out + done.err
    }
    for path in sorted((desk.folder / ".nsys-walls").rglob("*")):
        if path.suffix == ".parquet":
            # text columns are dictionaries inside the file: read them, do not search bytes
            table = pq.read_table(path)
            written[str(path)] = f"{table.schema.metadata} {table.to_pylist()}"
        elif path.is_file():
            written[str(path)] = path.read_text("utf-8")
    assert {"manifest.json", "0.parquet"} <= {name.rpartition("/")[2] for name in written}
    for name, text in written.items():
        assert [secret for secret in forbidden if secret in text] == [], name
    # what a reader needs is there
    assert document["totals"]["kernel_ns"] == 650_000
    assert document["devices"][0]["name"] == "NVIDIA A100-SXM4-40GB"
    assert document["run"]["sources"][0]["product_version"]
    (name,) = ranges(document)
    assert "train.py:34" in name


# Sums -----------------------------------------------------------------------------------

#: Launches, us each: 180 + 150 + 150 + 120 + 135 + 90 us in all.
SMALL = {
    "layer_norm(float *)": (60, 3.0),
    "softmax(float *)": (30, 5.0),
    "bias_gelu(float *)": (60, 2.5),
    "residual_add(float *)": (60, 2.0),
    "transpose_heads(float *)": (90, 1.5),
    "apply_mask(float *)": (30, 3.0),
}
GEMM = "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn"


@pytest.fixture
def small_kernels(desk):
    """Trace a GEMM of 600 us in all beside six kernels of 825 us, at 80 % of the bandwidth."""
    rows = series(GEMM, [20_000] * 30, gap_ns=1_000)
    counters = [profiled(GEMM, {"dram": 12_582_912, "ncu_ns": 26_000, FP16_OPS: 4_294_967_296})]
    for name, (launches, each_us) in SMALL.items():
        each_ns = int(1000 * each_us)
        rows += series(name, [each_ns] * launches, start=after(rows, 1_000), gap_ns=1_000,
                       **shape((96, 1, 1)))  # fmt: skip
        # 0.8 x 1555.2 B/ns
        size = round(1_244.16 * each_ns)
        counters.append(
            profiled(name, {"dram": size, "ncu_ns": each_ns + 900, "fp32": (size // 8, 0, 0)},
                     grid=(96, 1, 1))
        )  # fmt: skip
    return desk.report(desk.trace(kernels=rows), desk.counters(*counters))


def test_many_small_kernels_together_outweigh_the_top_one(small_kernels):
    document, kernels = small_kernels, by_name(small_kernels)
    assert document["totals"]["kernel_ns"] == 1_425_000
    assert (document["totals"]["launches"], len(kernels)) == (360, 7)
    top, *rest = document["kernels"]
    # 600 of 1,425 us
    assert (top["full_name"], top["time_ratio"]) == (GEMM, pytest.approx(0.42105, abs=1e-5))
    # 2 x 1024 x 1024 x 2048 / 12,582,912; / 20 us = 214.7 of 312 TFLOP/s
    assert top["intensity_flop_per_byte"] == pytest.approx(1024 / 3)
    assert top["compute_ratio"] == pytest.approx(0.68829, abs=1e-5)
    assert sum(row["time_ratio"] for row in rest) == pytest.approx(0.57895, abs=1e-5)
    # 180 of 1,425 us
    assert max(row["time_ratio"] for row in rest) == pytest.approx(0.12632, abs=1e-5)
    assert document["time_by_wall_ns"]["bandwidth"] == 825_000
    assert document["time_by_wall_ns"]["compute"] == 600_000


def test_the_sum_of_the_small_ones_is_a_finding(small_kernels):
    (finding,) = [row for row in small_kernels["findings"] if row["code"] == "NW101"]
    names = {small_kernels["kernels"][number]["full_name"] for number in finding["kernels"]}
    assert names == set(SMALL)
    assert finding["time_ratio"] == pytest.approx(0.57895, abs=1e-5)
    assert finding["saving_ns"] == 825_000
    # without them 600 of 1,425 us would be left
    assert finding["speedup_bound"] == pytest.approx(2.375)


def test_what_a_faster_gemm_could_save_is_bounded_by_its_own_wall(small_kernels):
    top = small_kernels["kernels"][0]
    # floor: 4,294,967,296 FLOP / 312 TFLOP/s = 13,765.9 ns of 20,000, 30 times
    assert top["floor_ns"] == pytest.approx(13_765.9, abs=0.1)
    assert top["recoverable_ns"] == pytest.approx(187_022, abs=5)
    assert small_kernels["warnings"] == []


def test_time_without_counters_is_said_not_hidden(desk):
    rows = series("measured(float *)", [60_000] * 5)
    rows += series("not_profiled(float *)", [40_000] * 5, start=after(rows))
    counters = {"dram": 74_649_600, "ncu_ns": 70_000, "fp32": (0, 0, 0)}
    document = desk.report(
        desk.trace(kernels=rows), desk.counters(profiled("measured(float *)", counters))
    )
    assert document["totals"]["measured_time_ratio"] == pytest.approx(0.6)
    assert document["time_by_wall_ns"]["unmeasured"] == 200_000
    message = warned(document, "no-counters")
    assert "40 %" in message
    assert "not_profiled" in message
