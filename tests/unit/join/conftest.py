"""Short ways to describe the two sides of a join."""

import pytest

from nsys_walls.join.kernels import Traced
from nsys_walls.join.profiles import Profile


@pytest.fixture(scope="session")
def traced():
    """Build a traced kernel: 4 blocks of 128 threads, launched once, unless said otherwise."""

    def build(full="fill(float *)", **facts):
        base = {
            "id": 0, "device": 0, "part": "8.0", "full": full, "short": None, "mangled": None,
            "grid": (4, 1, 1), "block": (128, 1, 1), "dynamic_shared_bytes": 0, "launches": 1,
            "time_ns": 1000, "min_ns": 1000, "max_ns": 1000,
        }  # fmt: skip
        return Traced(**(base | facts))

    return build


@pytest.fixture(scope="session")
def profile():
    """Build a profiled launch of the same kind; ``nbytes`` is its DRAM traffic."""

    def build(name="fill(float *)", nbytes=640.0, **facts):
        base = {
            "source": 0, "launch_id": 0, "process": 7, "device": 0, "part": "8.0", "name": name,
            "grid": (4, 1, 1), "block": (128, 1, 1), "dynamic_shared_bytes": None, "launches": 1,
            "values": {} if nbytes is None else {"dram__bytes.sum": nbytes},
        }  # fmt: skip
        return Profile(**(base | facts))

    return build


@pytest.fixture(scope="session")
def bytes_of():
    """Read the traffic of a profiled launch from its counters."""
    return lambda values: values.get("dram__bytes.sum")
