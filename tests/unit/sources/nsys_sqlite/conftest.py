"""Traces made in a temporary folder."""

import pytest
from support.nsys_traces import build_trace


@pytest.fixture
def trace(tmp_path):
    """Build a trace; see `build_trace` for what can be given."""

    def build(name="trace.sqlite", **rows):
        return build_trace(tmp_path / name, **rows)

    return build
