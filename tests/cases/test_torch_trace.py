"""Traces of the PyTorch profiler, from the file to the report."""

import pytest
from support.nsys_traces import A100, SECRETS, call, copy, fill, nvtx
from support.pipeline import after, only, profiled, ranges, series, shape, warned, with_calls
from support.torch_traces import VERSIONS, build_trace, from_rows, launch, op, span, trace_text

GEMM = "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn"
GELU = "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(int)>"

# a trace of nsys has the bandwidth of its GPU, one of PyTorch does not
WALLS = ("--hw", "a100", "--bandwidth", "1555.2GB/s")


def two_steps():
    """Two steps of two GEMMs and an activation; copies before them and between, and a set."""
    kernels, spans = [], []
    for step in range(2):
        start = after(kernels, 2_500_000) if kernels else 3_000_000
        rows = series(GEMM, [270_000, 272_000], start=start, **shape((64, 4, 1), (128, 1, 1)))
        rows += series(GELU, [41_000], start=after(rows), **shape((512, 1, 1)))
        spans.append(nvtx(start - 21_000, after(rows) - 20_000, f"ProfilerStep#{step}"))
        spans.append(nvtx(rows[1]["start"] - 21_000, rows[1]["start"] - 18_000, "layer"))
        kernels += rows
    between = after(kernels[:3])
    made = with_calls(kernels)
    made["calls"].append(call(990_000, 7, name="cudaMemcpyAsync_v3020"))
    made["copies"] = [
        copy(1_000_000, 1_400_000, 8_388_608, correlationId=7),
        copy(between, between + 90_000, 65_536, kind=2, srcKind=2, dstKind=1),
    ]
    made["fills"] = [fill(2_000_000, 2_030_000, 4_194_304)]
    return made | {"nvtx": spans}


def counters(desk):
    tensor = "sm__ops_path_tensor_src_fp16_dst_fp32.sum"
    big = {"dram": 50_331_648, "ncu_ns": 300_000, tensor: 25_769_803_776}
    small = {"dram": 50_331_648, "ncu_ns": 50_000, "fp32": (0, 4_194_304, 8_388_608)}
    return desk.counters(
        profiled(GEMM, big, grid=(64, 4, 1), block=(128, 1, 1)),
        profiled(GELU, small, grid=(512, 1, 1)),
    )


@pytest.mark.parametrize("version", VERSIONS)
def test_the_same_work_gives_the_same_report_as_a_trace_of_nsys(desk, version):
    rows, csv = two_steps(), counters(desk)
    expected = desk.report(desk.trace(**rows), csv, options=WALLS)
    path = build_trace(desk.folder / "torch.json.gz", *from_rows(**rows), version=version)
    document = desk.report(path, csv, options=WALLS)
    same = ("devices", "totals", "time_by_wall_ns", "classes", "ranges")
    for key in same:
        assert document[key] == expected[key]
    # their advice names the run
    plain = [[row | {"advice": ""} for row in one["findings"]] for one in (document, expected)]
    assert plain[0] == plain[1]
    # Kineto adds up static and dynamic shared memory, which leaves both unknown
    unknown = {"shared_memory_bytes": None}
    assert document["kernels"] == [row | unknown for row in expected["kernels"]]
    assert {row["match"]["level"] for row in document["kernels"]} == {"shape"}
    gemm, gelu = document["kernels"]
    # 2 x (270 + 272) and 2 x 41 us; 25,769,803,776 FLOP / 271 us
    assert (gemm["time_ns"], gelu["time_ns"]) == (1_084_000, 82_000)
    assert gemm["flop_per_s"] == pytest.approx(95.0915e12, rel=1e-6)
    assert ranges(document)["layer"] == 2 * 272_000


def test_a_trace_is_ingested_and_reported_as_typed(desk):
    build_trace(desk.folder / "step.pt.trace.json.gz", *from_rows(**two_steps()))
    done = desk.ingest("step.pt.trace.json.gz")
    assert done.out.startswith("step.pt.trace.json.gz: torch-trace, 6 rows; left out: 4 marks")
    page = desk.page("--hw", "a100")
    assert page.document["totals"]["launches"] == 6
    (source,) = page.document["run"]["sources"]
    assert (source["kind"], source["schema_version"], source["rows"]) == ("torch-trace", "1", 6)


def test_the_gpu_is_known_by_its_name(desk):
    document = desk.report(build_trace(desk.folder / "t.json", launch(0, 5000)))
    (device,) = document["devices"]
    assert (device["name"], device["hardware"]) == (A100["name"], "a100-sxm4-40")
    assert (device["bandwidth_from"], device["sm_count"]) == ("table", 108)


def test_ranks_of_a_job_are_gpus_of_one_run(desk):
    paths = [
        build_trace(desk.folder / f"rank{rank}.json", launch(0, 5000 + rank),
                    distributedInfo={"backend": "nccl", "rank": rank, "world_size": 2})
        for rank in (0, 1)
    ]  # fmt: skip
    document = desk.report(*paths)
    assert [row["device"] for row in document["devices"]] == [0, 1]
    assert [row["time_ns"] for row in document["kernels"]] == [5001, 5000]


def test_all_kernels_of_a_graph_launch_belong_to_its_range(desk):
    events = [op(0, 9000, "decode", category="user_annotation"),
              span("cuda_runtime", "cudaGraphLaunch", 2000, 5000, pid=4242, tid=4242,
                   correlation=8)]  # fmt: skip
    events += [
        launch(20_000 + 9000 * node, 26_000 + 9000 * node, correlationId=8, graphNodeId=node + 1)
        for node in range(3)
    ]
    assert ranges(desk.report(build_trace(desk.folder / "t.json", *events))) == {"decode": 18_000}


def test_a_capture_that_misses_calls_says_so(desk):
    events = [op(0, 9000), launch(10_000, 15_000, correlationId=1)]
    document = desk.report(build_trace(desk.folder / "t.json", *events))
    assert "1 of 1 launches" in warned(document, "launches-without-call")
    assert ranges(document) == {"(outside)": 5000}


def test_whole_microseconds_are_told_in_the_report(desk):
    path = build_trace(desk.folder / "t.json", launch(0, 5999), version="2.0")
    document = desk.report(path)
    assert only(document)["time_ns"] == 5000
    assert "up to 1 µs" in warned(document, "whole-microseconds")


@pytest.mark.parametrize(
    ("text", "slug", "said"),
    [
        (trace_text(op(0, 5)), "no-kernels", "activities=[ProfilerActivity.CPU, ProfilerActivity"),
        (trace_text(launch())[:900], "damaged-file", "it ends early"),
        ('{"traceEvents": [{"name": "x", "ph": "X"}]}', "unknown-format", "JSON"),
        ('{"nodes": []}', "unknown-format", "JSON"),
    ],
)
def test_what_can_not_be_used_is_refused_in_one_line(desk, text, slug, said):
    done = desk.type("ingest", desk.text("t.json", text))
    assert (done.code, done.out, done.slugs) == (1, "", [slug])
    assert said in done.err
    assert done.err.count("\n") == 1
    assert desk.runs() == []


def test_nothing_of_host_or_user_is_stored(desk):
    path = build_trace(desk.folder / "t.json", *from_rows(**two_steps()), hostname=SECRETS[1])
    desk.ingest(path)
    written = b"".join(
        file.read_bytes() for file in (desk.folder / ".nsys-walls").rglob("*") if file.is_file()
    )
    # short texts stand in Parquet as they are
    assert b"ProfilerStep#0" in written
    for secret in SECRETS:
        assert secret.encode() not in written
