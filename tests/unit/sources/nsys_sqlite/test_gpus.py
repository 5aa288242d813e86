"""Which GPU a CUDA ordinal is, by the tables that a trace has."""

import pytest
from support.nsys_traces import (
    A100,
    copy,
    execute,
    fill,
    global_pid,
    graph,
    kernel,
    launches,
    read_trace,
)

T4 = A100 | {
    "name": "Tesla T4", "chip": "TU104", "bus": "0000:00:04.0", "sm_count": 40, "id": 1,
    "uuid": "74000000-0000-4000-8000-000000000004", "compute": (7, 5), "cuda_ordinal": 1,
    "bandwidth_bytes_per_s": 320_064_000_000,
}  # fmt: skip
OTHER = 5353


def named(sink):
    return [(row["device"]["name"], row["device"]["ordinal"]) for row in launches(sink)]


@pytest.mark.parametrize("schema", ["2021.2", "2.9.1", "3.13.2", "3.25.0"])
def test_ids_of_the_table_may_run_against_cuda_ordinals(trace, schema):
    gpus = [A100 | {"id": 0, "cuda_ordinal": 1}, T4 | {"id": 1, "cuda_ordinal": 0}]
    path = trace(schema=schema, gpus=gpus, kernels=[kernel(deviceId=0), kernel(deviceId=1)])
    assert named(read_trace(path)[0]) == [("Tesla T4", 0), ("NVIDIA A100-SXM4-40GB", 1)]


@pytest.mark.parametrize("schema", ["2020.3", "2020.5"])
def test_in_2020_cuda_numbers_them(trace, schema):
    path = trace(schema=schema, gpus=[T4, A100], kernels=[kernel(deviceId=1), kernel(deviceId=0)])
    sink, _ = read_trace(path)
    assert named(sink) == [("Tesla T4", 1), ("NVIDIA A100-SXM4-40GB", 0)]
    assert launches(sink)[0]["device"]["bandwidth_bytes_per_s"] == 320_064_000_000


def test_in_2020_a_row_of_the_own_process_wins(trace):
    path = trace(schema="2020.3", gpus=[A100], kernels=[kernel()])
    execute(
        path,
        "UPDATE TARGET_INFO_CUDA_GPU SET pid = 1",
        "INSERT INTO TARGET_INFO_CUDA_GPU (name, deviceId, pid) VALUES ('mine', 0, 4242)",
    )
    assert named(read_trace(path)[0]) == [("mine", 0)]
    execute(path, "DELETE FROM TARGET_INFO_CUDA_GPU WHERE name = 'mine'")
    assert named(read_trace(path)[0]) == [("NVIDIA A100-SXM4-40GB", 0)]


def test_a_bandwidth_of_zero_was_not_known(trace):
    gpu = A100 | {"bandwidth_bytes_per_s": 0, "clock_hz": 0, "sm_count": 0}
    for schema in ("2020.3", "3.25.0"):
        path = trace(schema, schema=schema, gpus=[gpu], kernels=[kernel()])
        (device,) = read_trace(path)[0].rows("devices")
        assert device["bandwidth_bytes_per_s"] is None
        assert device["clock_hz"] is None
        assert device["sm_count"] is None


def test_what_cuda_can_not_open_is_no_gpu(trace):
    """A display adapter and an unusable GPU have cuDevice 0, too, but no SMs."""
    dead = A100 | {"id": 0, "sm_count": 0, "name": "Basic Render Driver", "cuda_ordinal": 0}
    path = trace(gpus=[dead, T4 | {"id": 2, "cuda_ordinal": 0}], kernels=[kernel()])
    assert named(read_trace(path)[0]) == [("Tesla T4", 0)]


def test_the_ordinal_of_a_process_is_found_by_its_pid(trace):
    """Each process sees one GPU, as number 0: CUDA_VISIBLE_DEVICES."""
    path = trace(
        gpus=[A100, T4],
        cuda_devices=[(0, 0, 4242), (1, 0, OTHER)],
        kernels=[kernel(), kernel(globalPid=global_pid(OTHER))],
    )
    sink, _ = read_trace(path)
    assert named(sink) == [("NVIDIA A100-SXM4-40GB", 0), ("Tesla T4", 0)]
    assert len({row["identity"] for row in sink.rows("devices")}) == 2


def test_one_gpu_under_two_ordinals_has_one_identity(trace):
    path = trace(
        gpus=[A100, T4],
        cuda_devices=[(1, 0, 4242), (1, 1, OTHER)],
        kernels=[kernel(), kernel(globalPid=global_pid(OTHER), deviceId=1)],
    )
    sink, _ = read_trace(path)
    assert named(sink) == [("Tesla T4", 0), ("Tesla T4", 1)]
    assert len({row["identity"] for row in sink.rows("devices")}) == 1


def test_two_processes_on_one_gpu_share_a_row(trace):
    path = trace(kernels=[kernel(), kernel(globalPid=global_pid(OTHER))])
    sink, _ = read_trace(path)
    assert sink.table("devices").num_rows == 1
    assert sink.table("kernels")["gpu"].to_pylist() == [0, 0]


@pytest.mark.parametrize("devices", [[(1, 0, 99)], [(None, 0, 4242)], [(7, 0, 4242)]])
def test_a_row_that_says_nothing_falls_back_to_the_ordinal(trace, devices):
    """Of another process; without a GPU; with a GPU that is not listed."""
    path = trace(gpus=[A100, T4], cuda_devices=devices, kernels=[kernel()])
    assert named(read_trace(path)[0]) == [("NVIDIA A100-SXM4-40GB", 0)]


def test_no_table_of_gpus(trace):
    path = trace(gpus=[], kernels=[kernel(deviceId=1), kernel(deviceId=0), kernel(deviceId=1)])
    sink, _ = read_trace(path)
    assert named(sink) == [(None, 1), (None, 0), (None, 1)]
    assert len({row["identity"] for row in sink.rows("devices")}) == 2


def identity(path):
    (device,) = read_trace(path)[0].rows("devices")
    return device["identity"]


def test_identity_is_the_uuid_and_only_it(trace):
    """Two traces of one machine name one GPU alike, whatever its ordinal and place."""
    one = trace("one", gpus=[A100], kernels=[kernel()])
    two = trace("two", gpus=[A100 | {"bus": "elsewhere", "id": 5}], kernels=[kernel()])
    other = trace("other", gpus=[A100 | {"uuid": "b" * 36}], kernels=[kernel()])
    assert identity(one) == identity(two) != identity(other)
    assert A100["uuid"] not in repr(read_trace(one)[0].rows("devices"))


def test_a_slice_is_told_from_its_gpu_by_the_uuid_that_cuda_gives(trace):
    devices = [(0, 0, 4242, "MIG-1"), (0, 0, OTHER, "MIG-2")]
    path = trace(cuda_devices=devices, kernels=[kernel(), kernel(globalPid=global_pid(OTHER))])
    assert read_trace(path)[0].table("devices").num_rows == 2


@pytest.mark.parametrize("uuid", [None, "", "00000000-0000-0000-0000-000000000000"])
def test_without_a_uuid_a_gpu_is_known_in_its_trace_only(trace, uuid):
    gpus = [A100 | {"uuid": uuid}, T4 | {"uuid": uuid}]
    rows = [kernel(deviceId=0), kernel(deviceId=1)]
    sink, _ = read_trace(trace("one", gpus=gpus, kernels=rows))
    first, second = (row["identity"] for row in sink.rows("devices"))
    assert first != second
    assert first != identity(trace("two", gpus=gpus, kernels=rows[:1]))


def test_only_gpus_that_ran_something_are_stored(trace):
    gpus = [A100 | {"cuda_ordinal": i, "id": i, "bus": str(i), "uuid": str(i)} for i in range(6)]
    path = trace(
        gpus=gpus,
        kernels=[kernel(deviceId=1)],
        copies=[copy(0, 1, 1, deviceId=2)],
        fills=[fill(0, 1, 1, deviceId=3)],
        graphs=[graph(0, 1, deviceId=5)],
    )
    sink, _ = read_trace(path)
    assert sorted(row["ordinal"] for row in sink.rows("devices")) == [1, 2, 3, 5]
    assert [row["gpu"] for row in sink.rows("devices")] == [0, 1, 2, 3]


def test_jetson_values_are_kept_as_they_are(trace):
    orin = A100 | {"name": "Orin", "discrete": 0, "bandwidth_bytes_per_s": 29_400_000_000}
    (device,) = read_trace(trace(gpus=[orin], kernels=[kernel()]))[0].rows("devices")
    assert (device["discrete"], device["bandwidth_bytes_per_s"]) == (False, 29_400_000_000)


@pytest.mark.parametrize(
    ("compute", "stored"),
    [((12, 0), "12.0"), ((8, 9), "8.9"), ((None, None), None), ((0, 0), None)],
)
def test_compute_capability(trace, compute, stored):
    path = trace(gpus=[A100 | {"compute": compute}], kernels=[kernel()])
    (device,) = read_trace(path)[0].rows("devices")
    assert device["compute_capability"] == stored


def test_numbers_beyond_all_gpus_are_null(trace):
    gpu = A100 | {"sm_count": 2**31, "bandwidth_bytes_per_s": -1}
    (device,) = read_trace(trace(gpus=[gpu], kernels=[kernel(deviceId=0)]))[0].rows("devices")
    assert (device["sm_count"], device["bandwidth_bytes_per_s"]) == (None, None)
