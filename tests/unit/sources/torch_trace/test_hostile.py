"""Whatever a file holds, it is read or refused in one line."""

import json

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.torch_traces import launch, op, read_trace, span, sync, trace_text

from nsys_walls.errors import InputError

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.sampled_from(["", "x", "7", "1e400", "inf", "-1", "4294967295", "9" * 40]),
    st.lists(st.integers(-3, 2**33) | st.none() | st.text(max_size=2), max_size=4),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=2),
)
EVENTS = (
    launch(5, 9, correlationId=1),
    op(1, 8, number=3),
    span("cuda_runtime", "cudaLaunchKernel", 2, 3, pid=4242, tid=4242, correlation=1),
    span("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 9, 12, device=0, stream=7, bytes=64),
    span("gpu_memset", "Memset (Device)", 12, 13, device=0, stream=7, bytes=64),
    sync(3, 9, correlation=2),
)
FIELDS = ("ph", "cat", "name", "pid", "tid", "ts", "dur", "args")
ARGS = ("device", "stream", "correlation", "grid", "block", "registers per thread", "bytes",
        "graph node id", "External id")  # fmt: skip


def read(tmp_path, text):
    path = tmp_path / "t.json"
    path.write_bytes(text)
    try:
        return read_trace(path)[1].rows
    except InputError:
        return None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(EVENTS),
            st.dictionaries(st.sampled_from(FIELDS), ODD, max_size=3),
            st.dictionaries(st.sampled_from(ARGS), ODD, max_size=3),
        ),
        max_size=6,
    )
)
def test_odd_values_never_break_the_reader(tmp_path, changed):
    events = [event | {"args": event["args"] | args} | fields for event, fields, args in changed]
    text = json.dumps({"schemaVersion": 1, "traceEvents": [*events, launch(1, 2)]})
    assert read(tmp_path, text.encode()) >= 1


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
@example(None)
def test_odd_bytes_never_break_the_reader(tmp_path, data):
    text = bytearray(trace_text(*EVENTS).encode())
    if data is not None:
        for _ in range(data.draw(st.integers(1, 4))):
            place = data.draw(st.integers(0, len(text)))
            text[place : place + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=9))
    rows = read(tmp_path, bytes(text))
    assert rows in ({1} if data is None else {None, 0, 1, 2})


def test_documents_of_other_forms_are_refused(tmp_path):
    for text in (
        b"[]",
        b"{}",
        b"1",
        b'{"traceEvents": 5}',
        b'{"traceEvents": {"ph": "X"}}',
        b"[[]]",
    ):
        assert read(tmp_path, text) is None
