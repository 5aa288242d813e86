"""Any change to a trace's bytes ends in rows or in one line, never in a crash."""

import random
from contextlib import suppress

import pytest
from support.nsys_traces import build_trace, call, copy, graph, kernel, nvtx, read_trace

from nsys_walls.errors import InputError


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "t"
    build_trace(
        path,
        kernels=[kernel(i * 10, i * 10 + 5, correlationId=i) for i in range(60)],
        copies=[copy(i, i + 5, 8) for i in range(40)],
        calls=[call(i * 10, i) for i in range(60)],
        nvtx=[nvtx(i * 10, i * 10 + 8, f"range {i}") for i in range(60)],
        graphs=[graph(0, 5)],
        cuda_devices=[(0, 0, 4242)],
    )
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(60))
def test_flipped_bytes(tmp_path, whole, seed):
    chance = random.Random(seed)  # noqa: S311 # chance need not be secret
    damaged = bytearray(whole)
    for _ in range(chance.choice([1, 5, 50, 500])):
        damaged[chance.randrange(100, len(damaged))] = chance.randrange(256)
    path = tmp_path / "t"
    path.write_bytes(damaged)
    with suppress(InputError):  # any other exception would be a traceback on the screen
        read_trace(path)


@pytest.mark.parametrize("seed", range(20))
def test_cut_anywhere(tmp_path, whole, seed):
    path = tmp_path / "t"
    path.write_bytes(whole[: 16 + seed * len(whole) // 21])
    with pytest.raises(InputError) as caught:
        read_trace(path)
    assert caught.value.slug == "damaged-file"
