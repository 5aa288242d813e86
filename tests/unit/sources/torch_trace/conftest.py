"""Traces made in a temporary folder."""

import pytest
from support.torch_traces import build_trace


@pytest.fixture
def trace(tmp_path):
    """Build a trace; see `support.torch_traces.trace_text` for what can be given."""

    def build(*events, name="trace.json", **options):
        return build_trace(tmp_path / name, *events, **options)

    return build
