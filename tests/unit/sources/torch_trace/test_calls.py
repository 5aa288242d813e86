"""CUDA calls for the store."""

import pytest
from support.torch_traces import launch, read_trace, span


def stored(trace, *calls):
    sink, _ = read_trace(trace(launch(), *calls))
    return [(row["kind"], row["name"]) for row in sink.rows("calls")]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(("cudaLaunchKernel", "launch"), ("cudaLaunchKernelExC", "launch")),
        *(("cuLaunchKernel", "launch"), ("cuLaunchKernelEx", "launch")),
        *(("cudaGraphLaunch", "graph"), ("cudaMemcpyAsync", "copy"), ("cudaMemsetAsync", "set")),
        *(("cudaDeviceSynchronize", "sync"), ("cudaStreamSynchronize", "sync")),
        *(("cudaEventSynchronize", "sync"), ("cudaStreamWaitEvent", "wait")),
        *(("cudaMalloc", "memory"), ("cudaFree", "memory"), ("cudaHostAlloc", "memory")),
    ],
)
def test_calls_are_stored_with_what_they_do(trace, name, kind):
    assert stored(trace, span("cuda_runtime", name, 0, 1)) == [(kind, name)]


def test_calls_that_do_none_of_it_are_not_stored(trace):
    names = ("cudaEventRecord", "cudaGetDevice", "cudaFuncGetAttributes", "cudaStreamIsCapturing")
    assert stored(trace, *(span("cuda_runtime", name, 0, 1) for name in names)) == []


def test_versions_are_cut_from_names(trace):
    assert stored(trace, span("Runtime", "cudaLaunchKernel_v7000", 0, 1),
                  span("cuda_runtime", "cudaMemcpyAsync_ptsz", 0, 1)) == [
        ("launch", "cudaLaunchKernel"), ("copy", "cudaMemcpyAsync"),
    ]  # fmt: skip


def test_a_call_has_its_time_thread_and_correlation(trace):
    sink, _ = read_trace(
        trace(
            launch(9000, 9900),
            span("cuda_runtime", "cudaMalloc", 5000, 7500, pid=42, tid=43),
            span("cuda_driver", "cuLaunchKernel", 8000, 8100, pid=42, tid=44, correlation=6),
        )
    )
    assert sink.rows("calls") == [
        {"start_ns": 0, "duration_ns": 2500, "process": 42, "thread": 43, "correlation": None,
         "kind": "memory", "name": "cudaMalloc"},
        {"start_ns": 3000, "duration_ns": 100, "process": 42, "thread": 44, "correlation": 6,
         "kind": "launch", "name": "cuLaunchKernel"},
    ]  # fmt: skip


def test_a_name_without_end_is_no_call(trace):
    assert stored(trace, span("cuda_runtime", "cuda" + "_v1" * 300_000 + "!", 0, 1)) == []
