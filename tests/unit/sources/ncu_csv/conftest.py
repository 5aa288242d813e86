"""Read what tests write."""

import pytest
from support.ncu_files import read_file


@pytest.fixture
def read(tmp_path):
    """Write content to a file, check that it is recognised, and read it."""

    def _read(content, name="counters.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_file(path)

    return _read
