"""What Kineto writes and JSON forbids."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.sources.torch_trace import mend
from nsys_walls.sources.torch_trace.content import Content
from nsys_walls.sources.torch_trace.mend import Mended


class InPieces(io.BytesIO):
    """Gives a few bytes at a time."""

    def __init__(self, data, size):
        super().__init__(data)
        self.piece = size

    def read1(self, _size):
        return super().read1(self.piece)


def mended(text, size=1 << 16):
    data = text if isinstance(text, bytes) else text.encode()
    text = Mended(Content(InPieces(data, size), "utf-8", lambda _done: None))
    assert text.read(0) == b""
    return b"".join(iter(lambda: text.read(1), b"")).decode()


@pytest.mark.parametrize("size", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": inf, "b": -nan, "c": N/A}', '{"a": null, "b": null, "c": null}'),
        ("[Infinity, -Infinity, NaN, nan]", "[null, null, null, null]"),
        ('["f<inf, nan>(N/A)", "inf"]', '["f<inf, nan>(N/A)", "inf"]'),
        (r'["C:\cuda\__init__.py", "a\"b", "\\", "\u12", "\u00e9"]',
         r'["C:\\cuda\\__init__.py", "a\"b", "\\", "\\u12", "\u00e9"]'),
        ('["a\nb\x00c"]', '["a b c"]'),
        (f'[1, {"9" * 400}, "{"9" * 400}"]', f'[1, null, "{"9" * 400}"]'),
        ("[1.5e-3, -2, true, false, null, info]", "[1.5e-3, -2, true, false, null, info]"),
        ('{"é": "ü"}\x00\x00', '{"é": "ü"}  '),
    ],
)  # fmt: skip
def test_what_is_wrong_is_put_right_wherever_pieces_end(text, expected, size):
    assert mended(text, size) == expected


@given(
    st.recursive(
        st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    ),
    st.integers(1, 20),
    st.booleans(),
)
def test_what_is_json_stays_as_it_is(value, size, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    if ascii_only or "\x7f" not in text:
        assert json.loads(mended(text, size)) == value


def test_a_string_without_end_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(mend, "_LONGEST_STRING", 100)
    assert mended('{"a": "' + "x" * 1000, 10) == '{"a": '
