"""NW901: time that CUDA graphs hide when they are traced as a whole."""

import pytest
from support.findings import finding
from support.nsys_traces import graph, kernel
from support.pipeline import profiled


def codes(document):
    return [row["code"] for row in document["findings"]]


def test_graphs_that_were_traced_as_a_whole(desk):
    # 300 us of kernels, and three graphs of 200, 200 and 300 us
    kernels = [kernel(1_000_000, 1_300_000, "embed(float *)")]
    graphs = [graph(start, start + took) for start, took in
              ((1_400_000, 200_000), (1_700_000, 200_000), (2_000_000, 300_000))]  # fmt: skip
    row = finding(desk.report(desk.trace(kernels=kernels, graphs=graphs)), "NW901")
    assert row["title"] == "70 % of the busy time is hidden in CUDA graphs"
    assert row["message"] == (
        "3 launches of whole CUDA graphs take 700 µs, 70 % of the time in which the GPU was busy "
        "(median 200 µs). Their kernels can't be seen, and no other finding or share counts them."
    )
    assert "nsys profile --cuda-graph-trace=node" in row["advice"]
    assert (row["saving_ns"], row["speedup_bound"], row["kernels"]) == (None, None, [])
    assert row["evidence"] == {
        "graph_launches": 3, "graph_hidden_ns": 700_000, "graph_busy_ns": 700_000,
        "graph_median_ns": 200_000, "busy_ns": 1_000_000,
    }  # fmt: skip


def test_graphs_that_run_at_once_hide_their_union(desk):
    graphs = [graph(1_000_000, 1_900_000, streamId=stream) for stream in (7, 8)]
    kernels = [kernel(1_900_000, 2_000_000, "embed(float *)")]
    row = finding(desk.report(desk.trace(kernels=kernels, graphs=graphs)), "NW901")
    # 0.9 ms twice, in 1 ms
    assert row["title"] == "90 % of the busy time is hidden in CUDA graphs"
    assert row["message"].startswith("2 launches of whole CUDA graphs take 900 µs, 90 %")
    assert row["evidence"]["graph_hidden_ns"] == 1_800_000


@pytest.mark.parametrize("graphs", [[], [graph(3_000_000, 3_001_000)]])
def test_none_or_hardly_any_is_no_finding(desk, graphs):
    # 1 us of 1001 us
    kernels = [kernel(1_000_000, 2_000_000, "embed(float *)")]
    assert "NW901" not in codes(desk.report(desk.trace(kernels=kernels, graphs=graphs)))


def test_nodes_of_a_graph_that_were_traced_hide_nothing(desk):
    kernels = [
        kernel(1_000_000, 1_100_000, "norm(float *)", graphNodeId=1),
        kernel(1_101_000, 1_200_000, "gemm(float *)", graphNodeId=2),
    ]
    assert "NW901" not in codes(desk.report(desk.trace(kernels=kernels)))


def test_counters_alone_hide_nothing(desk):
    counters = desk.counters(profiled("add(float *)", {"dram": 1000, "ncu_ns": 50}))
    document = desk.report(counters, options=("--hw", "a100"))
    assert "NW901" not in codes(document)
    assert all(row["code"] != "NW901" for row in document["abstained"])
