"""The bytes of a trace as UTF-8."""

import gzip

import pytest

from nsys_walls.sources.torch_trace.content import MOST_DIGITS, Checked, opened


def content_of(path, size=7):
    done = []
    with opened(path, lambda *numbers: done.append(numbers)) as content:
        text = b"".join(iter(lambda: content.read(size), b""))
    return text.decode(), content, done


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_encoding_becomes_utf_8(tmp_path, encoding):
    path = tmp_path / "t"
    path.write_bytes('{"é": "µ🙂"}'.encode(encoding))
    text, content, _ = content_of(path, 1)
    assert text == '{"é": "µ🙂"}'
    assert content.at_end
    assert not content.is_damaged


def test_bytes_that_are_no_utf_8_are_replaced(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(b'"\xff\xc3')
    assert content_of(path)[0] == '"��'


def test_progress_is_told_in_bytes(tmp_path):
    plain, packed = tmp_path / "t", tmp_path / "t.gz"
    plain.write_bytes(b"x" * 10)
    packed.write_bytes(gzip.compress(b"x" * 10))
    assert content_of(plain, 4)[2] == [(4, 10), (8, 10), (10, 10), (10, 10)]
    assert content_of(packed, 100)[2][-1] == (10, None)


@pytest.mark.parametrize("damage", [b"garbage", b"\x1f\x8b\x08\x00"])
def test_what_precedes_damage_is_read(tmp_path, damage):
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"{} " * 100_000) + damage)
    text, content, _ = content_of(path, 1 << 16)
    assert text == "{} " * 100_000
    assert content.is_damaged


def test_zeros_behind_gzip_are_no_damage(tmp_path):
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"{}") + bytes(512))
    assert not content_of(path)[1].is_damaged


def test_nothing_is_read_where_nothing_is_wanted(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(b"{}")
    with opened(path, lambda _done, _total: None) as content:
        assert content.read(0) == b""
        assert not content.at_end


@pytest.mark.parametrize("size", [1000, MOST_DIGITS, 1 << 16])
def test_endless_numbers_are_refused_wherever_pieces_end(tmp_path, size):
    path = tmp_path / "t"
    path.write_bytes(b" " * 450 + b"7" * 2 * MOST_DIGITS + b" " * 2000)
    with opened(path, lambda _done, _total: None) as content:
        text = Checked(content)
        with pytest.raises(ValueError, match="digits in a row"):
            list(iter(lambda: text.read(size), b""))


def test_numbers_in_a_row_are_not_endless(tmp_path):
    path = tmp_path / "t"
    path.write_bytes(b"1234567890," * 10_000)
    with opened(path, lambda _done, _total: None) as content:
        assert b"".join(iter(lambda: Checked(content).read(512), b"")) == path.read_bytes()
