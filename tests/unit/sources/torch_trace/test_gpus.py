"""GPUs of a trace."""

import pytest

from nsys_walls.sources.torch_trace.gpus import device_table

H100 = {"id": 0, "name": "NVIDIA H100", "totalGlobalMem": 102_085_492_736, "computeMajor": 9,
        "computeMinor": 0, "numSms": 132}  # fmt: skip
V100 = {"id": 1, "name": "Tesla V100-DGXS-32GB", "totalGlobalMem": 34_084_028_416, "major": 7,
        "minor": 0, "multiProcessorCount": 80}  # fmt: skip


def rows(ordinals, header=None, file_key="k"):
    return device_table(ordinals, header or {}, file_key).to_pylist()


def facts(row):
    return {key: value for key, value in row.items() if key not in {"gpu", "identity"}}


def test_gpus_that_something_ran_on_are_listed_with_what_is_known_of_them():
    one, none = rows([1, 0], {"deviceProperties": [H100, H100 | {"id": 1, "numSms": 114}]})
    assert facts(one) == {"ordinal": 1, "name": "NVIDIA H100", "compute_capability": "9.0",
                          "sm_count": 114, "memory_bytes": 102_085_492_736}  # fmt: skip
    assert (none["gpu"], none["sm_count"]) == (1, 132)


def test_the_keys_of_pytorch_1_8_mean_the_same():
    (row,) = rows([1], {"computeProperties": [V100]})
    assert facts(row) == {"ordinal": 1, "name": "Tesla V100-DGXS-32GB",
                          "compute_capability": "7.0", "sm_count": 80,
                          "memory_bytes": 34_084_028_416}  # fmt: skip


@pytest.mark.parametrize(
    "header",
    [
        {},
        {"deviceProperties": []},
        {"deviceProperties": [V100]},
        {"deviceProperties": "H100"},
        {"deviceProperties": [7, {"id": [0]}, {"name": "no id"}]},
        {"deviceProperties": [{"id": 0, "name": 5, "numSms": 2**40, "totalGlobalMem": 0,
                               "computeMajor": 0, "computeMinor": 0}]},
        {"deviceProperties": [{"id": 0, "name": "", "computeMajor": 9}]},
    ],
)  # fmt: skip
def test_what_is_not_listed_is_unknown(header):
    (row,) = rows([0], header)
    assert facts(row) == {"ordinal": 0, "name": None, "compute_capability": None,
                          "sm_count": None, "memory_bytes": None}  # fmt: skip


def test_work_on_an_unknown_gpu_has_a_gpu():
    (row,) = rows([None], {"deviceProperties": [{"name": "no id"}]})
    assert (row["gpu"], row["ordinal"], row["name"]) == (0, None, None)


def test_gpus_of_different_traces_ranks_and_ordinals_are_different():
    identities = [
        rows([0])[0]["identity"],
        rows([1])[0]["identity"],
        rows([0], file_key="other")[0]["identity"],
        rows([0], {"distributedInfo": {"rank": 1}})[0]["identity"],
        rows([0], {"distributedInfo": {"rank": 2}})[0]["identity"],
    ]
    assert len(set(identities)) == 5
    assert rows([0], {"distributedInfo": ["rank"]})[0]["identity"] == identities[0]
