"""Parsing as a stream."""

import io
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.sources.torch_trace.events import Malformed, parse_events


def parsed(text, header=None):
    data = text if isinstance(text, bytes) else text.encode()
    return list(parse_events(io.BytesIO(data), "traceEvents", {} if header is None else header))


def test_members_are_found_before_and_behind_the_events():
    header = {}
    events = parsed('{"a": [1, {"b": null}], "traceEvents": [{"ph": "X"}], "c": "d"}', header)
    assert events == [{"ph": "X"}]
    assert header == {"a": [1, {}], "c": "d"}


def test_a_bare_array_and_one_that_is_given_twice_are_read():
    assert parsed('[{"ph": "X"}, {}]') == [{"ph": "X"}, {}]
    assert parsed('{"traceEvents": [{"a": 1}], "traceEvents": [{"a": 2}]}') == [{"a": 1}, {"a": 2}]


def test_numbers_keep_every_digit():
    (event,) = parsed('[{"ts": 88511388202.755, "dur": 5.000, "id": 12345678901234567890}]')
    assert event == {"ts": Decimal("88511388202.755"), "dur": 5, "id": 12345678901234567890}
    assert [type(value) for value in event.values()] == [Decimal, Decimal, int]


def test_what_is_no_event_is_left_out():
    assert parsed('[1, "x", null, [[{"ph": "X"}]], {"ph": "X"}, true]') == [{"ph": "X"}]
    assert parsed('{"traceEvents": {"ph": "X"}}') == parsed('"text"') == parsed("{}") == []


def test_null_is_absent_and_the_last_of_two_equal_keys_counts():
    assert parsed('[{"a": null, "b": 1, "b": 2}]') == [{"b": 2}]


def test_what_follows_the_document_does_not_matter():
    assert parsed('[{"a": 1}] x') == parsed('{"traceEvents": [{"a": 1}]}\0') == [{"a": 1}]


JSON = st.recursive(
    st.integers(-(10**20), 10**20) | st.text() | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(
    st.lists(st.dictionaries(st.text(), JSON, max_size=6), max_size=5), st.sampled_from([2, None])
)
def test_whatever_json_holds_is_parsed_alike(events, indent):
    text = json.dumps({"x": 1, "traceEvents": events}, indent=indent)
    assert parsed(text) == json.loads(text)["traceEvents"]


@pytest.mark.parametrize(
    "text",
    [
        *("", "  ", "{", '{"traceEvents": [', '{"traceEvents": [{"ph"', '{"traceEvents": [{}]'),
        *('[{"a": NaN}]', '[{"a": 1,}]', '[{"a": "\\c"}]', "[{'a': 1}]", "<html>"),
        '[{"a": 1e' + "9" * 30 + "}]",
        b'[{"a": "\xff"}]',
    ],
)
def test_other_text_is_malformed(text):
    with pytest.raises(Malformed):
        parsed(text)


@pytest.mark.parametrize("text", ["[" * 500_000, '[{"a":' * 100_000, '{"x":' + "[" * 500_000,
                                  '[{"args":' + "[" * 1000 + "]" * 1000 + "}]"])  # fmt: skip
def test_no_nesting_is_too_deep_to_be_refused(text):
    with pytest.raises(Malformed):
        parsed(text)


def test_an_error_of_the_reader_is_not_taken_for_one_of_the_text():
    class Broken:
        def read(self, size):
            if size:
                raise OSError
            return b""

    with pytest.raises(OSError):  # noqa: PT011  # it has no message
        list(parse_events(Broken(), "traceEvents", {}))
