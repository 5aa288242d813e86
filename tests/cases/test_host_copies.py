"""NW502: copies between host and device, and between devices, that no kernel hides."""

import pytest
from support.findings import finding, found, reasons
from support.nsys_traces import A100, copy, graph, kernel
from support.pipeline import series
from support.runs import analyse_rows, trace_rows

from nsys_walls.findings.host_copies import RULE

#: numbers of nsys: kinds of copies, and of memory
TO_DEVICE, TO_HOST, PEER = 1, 2, 10
PAGEABLE, PINNED, DEVICE, MANAGED = 0, 1, 2, 4
# the A100's PCIe carries 31.508 GB/s, its NVLink 300 GB/s


def keys(document):
    return [row["key"] for row in document["findings"] if row["code"] == "NW502"]


def traced(desk, copies, *, kernels=None, options=(), **rows):
    """Report copies beside a kernel that runs from 1.0 to 1.1 ms."""
    kernels = [kernel(1_000_000, 1_100_000, "gemm(float *)")] if kernels is None else kernels
    return desk.report(desk.trace(kernels=kernels, copies=copies, **rows), options=options)


def test_pageable_memory(desk):
    # 15,754,000 bytes in 1 ms: half of the link's rate is 0.5 ms more than needed; span 1.1 ms
    document = traced(desk, [copy(1_100_000, 2_100_000, 15_754_000, TO_DEVICE)])
    row = finding(document, "NW502")
    assert row["title"] == "Copies from host to device use pageable memory"
    assert row["message"] == (
        "1 copy from host to device (pageable memory) took 1.00 ms (91 % of the span), and no "
        "kernel ran meanwhile. They ran at 15.8 GB/s, 50 % of what PCIe carries; at "
        "its rate they would take 500 µs."
    )
    assert (row["saving_ns"], row["speedup_bound"]) == (1_000_000, pytest.approx(11))
    assert row["evidence"]["link_ns"] == pytest.approx(500_000)
    assert row["key"] == "host_to_device pageable"
    assert "Pin the host memory" in row["advice"]


def test_what_kernels_hide_costs_nothing(desk):
    # 60 of 100 us are under the kernel, which ends at 1.1 ms
    document = traced(
        desk, [copy(1_040_000, 1_140_000, 3_000_000, TO_DEVICE, srcKind=PINNED, streamId=9)]
    )
    row = finding(document, "NW502")
    assert row["saving_ns"] == 40_000
    assert (row["evidence"]["time_ns"], row["evidence"]["hidden_ns"]) == (100_000, 60_000)
    # from 1.0 to 1.14 ms
    assert "no kernel ran during 40.0 µs of it (29 % of the span)" in row["message"]
    # 30 GB/s are 95 % of the link
    assert row["title"] == "Copies from host to device run while no kernel does"
    assert "The link is well used" in row["advice"]


def test_copies_under_kernels_are_no_finding(desk):
    copies = [copy(1_010_000, 1_090_000, 2_400_000, TO_DEVICE, streamId=9)]
    document = traced(desk, copies)
    assert keys(document) == []
    assert all(row["code"] != "NW502" for row in document["abstained"])


def test_many_small_copies(desk):
    # a token's 8 bytes after each of 50 kernels: 2 us each
    rows = series("decode(float *)", [10_000] * 50, gap_ns=4_000)
    copies = [copy(row["end"] + 1_000, row["end"] + 3_000, 8, TO_HOST, srcKind=DEVICE,
                   dstKind=PAGEABLE) for row in rows]  # fmt: skip
    row = finding(traced(desk, copies, kernels=rows), "NW502")
    assert row["title"] == "Many small copies from device to host"
    assert row["saving_ns"] == 100_000
    assert row["message"].endswith(
        "They hold 8.00 B on average, so each takes its latency, whatever the link could carry."
    )


@pytest.mark.parametrize(
    ("number", "title"),
    [
        (9, "Copies from host to device run while no kernel does"),
        (10, "Many small copies from host to device"),
    ],
)
def test_few_small_copies_are_not_many(desk, number, title):
    copies = [copy(start, start + 2_000, 8, TO_DEVICE)
              for start in range(1_100_000, 1_100_000 + number * 4_000, 4_000)]  # fmt: skip
    assert finding(traced(desk, copies), "NW502")["title"] == title


def test_one_small_copy(desk):
    # 10 us of 110
    row = finding(traced(desk, [copy(1_100_000, 1_110_000, 8, TO_DEVICE)]), "NW502")
    assert row["message"] == (
        "1 copy from host to device (pageable memory) took 10.0 µs (9.1 % of the span), and no "
        "kernel ran meanwhile. At 8.00 B on average, the time is latency, whatever the link could "
        "carry."
    )
    assert row["advice"].startswith("Leave small values on the GPU")


def test_copies_at_once_count_once_and_share_their_link(desk):
    # 4 of 7,877,000 bytes side by side in 1 ms: 31.508 GB/s, all that PCIe carries
    copies = [copy(1_100_000, 2_100_000, 7_877_000, TO_DEVICE, srcKind=PINNED, streamId=stream)
              for stream in range(4)]  # fmt: skip
    row = finding(traced(desk, copies), "NW502")
    assert row["title"] == "Copies from host to device run while no kernel does"
    assert row["message"] == (
        "4 copies from host to device (pinned memory) took 1.00 ms (91 % of the span), and no "
        "kernel ran meanwhile. Several ran at once: one by one they add up to 4.00 ms. "
        "They ran at 31.5 GB/s, 100 % of what PCIe carries; at its rate they would take 1.00 ms."
    )
    # the span is 1.1 ms
    assert (row["saving_ns"], row["speedup_bound"]) == (1_000_000, pytest.approx(11))
    assert (row["evidence"]["time_ns"], row["evidence"]["union_ns"]) == (4_000_000, 1_000_000)


def test_what_graphs_of_one_row_hide_costs_nothing(desk):
    # a copy to the device under a graph from 2 to 12 ms, and one to the host after it
    copies = [
        copy(2_000_000, 12_000_000, 300_000_000, TO_DEVICE, srcKind=PINNED, streamId=9),
        copy(13_000_000, 20_000_000, 200_000_000, TO_HOST, srcKind=DEVICE, dstKind=PINNED),
    ]
    document = traced(desk, copies, graphs=[graph(2_000_000, 12_000_000)])
    assert keys(document) == ["device_to_host pinned"]
    assert finding(document, "NW502")["saving_ns"] == 7_000_000


def test_kernels_that_are_not_selected_hide_copies_too(desk):
    # stream 9 has the copy from 1.04 to 1.14 ms; the kernel, on stream 7, ends at 1.10 ms
    copies = [copy(1_040_000, 1_140_000, 3_000_000, TO_DEVICE, srcKind=PINNED, streamId=9)]
    kernels = [kernel(1_000_000, 1_100_000, "gemm(float *)"),
               kernel(1_150_000, 1_160_000, "gemm(float *)", streamId=9)]  # fmt: skip
    document = traced(desk, copies, kernels=kernels, options=("--stream", "9"))
    assert finding(document, "NW502")["saving_ns"] == 40_000


def test_pinned_copies_far_below_their_link(desk):
    # 4 GB/s of 31.5
    copies = [copy(1_100_000, 2_100_000, 4_000_000, TO_HOST, srcKind=DEVICE, dstKind=PINNED)]
    row = finding(traced(desk, copies), "NW502")
    assert row["title"] == "Copies from device to host are far below the rate of their link"
    assert "4.00 GB/s, 13 % of what PCIe carries" in row["message"]


def test_managed_memory_moves_when_it_is_touched(desk):
    copies = [copy(1_100_000, 2_100_000, 9_000_000, TO_DEVICE, srcKind=MANAGED, dstKind=MANAGED)]
    row = finding(traced(desk, copies), "NW502")
    assert row["title"] == "Managed memory moves from host to device"
    assert "cudaMemPrefetchAsync" in row["advice"]


def test_without_a_known_link_the_time_is_still_known(desk):
    card = A100 | {"name": "NVIDIA Unheard-of 9000", "chip": None}
    copies = [copy(1_100_000, 2_100_000, 9_000_000, TO_DEVICE, srcKind=PINNED)]
    row = finding(traced(desk, copies, gpus=(card,)), "NW502")
    assert row["message"].endswith("They ran at 9.00 GB/s.")
    assert (row["evidence"]["link_ns"], row["saving_ns"]) == (None, 1_000_000)
    assert "--hw" in row["advice"]


@pytest.mark.parametrize("wall", [("--bandwidth", "200GB/s"), ("--peak", "fp32=2TFLOP/s")])
def test_a_gpu_that_shares_the_memory_of_its_host_has_no_link(desk, wall):
    card = A100 | {"name": "Orin of another kind", "chip": None, "discrete": 0}
    copies = [copy(1_100_000, 2_100_000, 9_000_000, TO_DEVICE)]
    assert keys(traced(desk, copies, gpus=(card,), options=wall)) == []


def test_copies_inside_a_device_are_no_matter_of_a_link(desk):
    copies = [copy(1_100_000, 2_100_000, 9_000_000, 8, srcKind=DEVICE)]
    assert keys(traced(desk, copies)) == []


def peer(size):
    return [copy(1_100_000, 2_100_000, size, PEER, srcKind=DEVICE, dstKind=DEVICE)]


def test_peer_copies_that_are_no_faster_than_pcie(desk):
    # 30 MB in 1 ms are 30 GB/s; NVLink would take 0.1 ms; span 1.1 ms
    row = finding(traced(desk, peer(30_000_000)), "NW502")
    assert row["title"] == "Copies between GPUs are no faster than PCIe"
    assert "ran at 30.0 GB/s, no more than PCIe carries (31.5 GB/s)" in row["message"]
    assert row["saving_ns"] == pytest.approx(900_000)
    assert row["speedup_bound"] == pytest.approx(1100 / 200)


def test_peer_copies_at_once_share_nvlink(desk):
    # 4 of 30 MB side by side in 1 ms: 120 GB/s, more than PCIe could carry
    copies = [copy(1_100_000, 2_100_000, 30_000_000, PEER, srcKind=DEVICE, dstKind=DEVICE,
                   streamId=stream) for stream in range(4)]  # fmt: skip
    assert keys(traced(desk, copies)) == []


@pytest.mark.parametrize("size", [200_000_000, 1_000_000])
def test_peer_copies_over_nvlink_or_too_small_to_tell_are_no_finding(desk, size):
    assert keys(traced(desk, peer(size))) == []


def test_peer_copies_of_a_card_without_nvlink_are_no_finding(desk):
    card = A100 | {"name": "Tesla T4", "chip": "TU104", "sm_count": 40, "compute": (7, 5),
                   "bandwidth_bytes_per_s": 320_064_000_000}  # fmt: skip
    assert keys(traced(desk, peer(9_000_000), gpus=(card,))) == []


def test_copies_in_a_trace_without_kernels_may_be_hidden_or_not(tmp_path):
    copies = {
        "devices": [{"gpu": 0, "ordinal": 0}],
        "copies": [{"start_ns": 0, "duration_ns": 900, "gpu": 0, "operation": "host_to_device"}],
    }
    # the kernel's device spans 100 ns, the other one 900 ns
    analysis = analyse_rows(tmp_path, trace_rows([(0, 100, 0, 0, 7)]), copies)
    (reason,) = reasons(RULE, analysis)
    assert reason.startswith("copies take 900 ns (90 % of the span) in traces without kernels")
    assert found(RULE, analysis) == []


def test_both_directions_at_once_take_no_more_than_the_span(tmp_path):
    # 900 ns each way, at once; the kernel's device spans 100 ns
    copies = {
        "devices": [{"gpu": 0, "ordinal": 0}],
        "copies": [
            {"start_ns": 0, "duration_ns": 900, "gpu": 0, "operation": operation}
            for operation in ("host_to_device", "device_to_host")
        ],
    }
    analysis = analyse_rows(tmp_path, trace_rows([(0, 100, 0, 0, 7)]), copies)
    (reason,) = reasons(RULE, analysis)
    assert reason.startswith("copies take 1.00 µs (100 % of the span)")


def test_copies_of_unknown_size_have_no_rate(tmp_path):
    rows = trace_rows([(0, 100, 0, 0, 7)])
    copies = [{"start_ns": 100, "duration_ns": 900, "gpu": 0, "operation": "device_to_host"}]
    (row,) = found(RULE, analyse_rows(tmp_path, {**rows, "copies": copies}))
    assert str(row.message) == (
        "1 copy from device to host (memory of unknown kind) took 900 ns (90 % of the span), "
        "and no kernel ran meanwhile."
    )
