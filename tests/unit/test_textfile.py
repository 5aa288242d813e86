"""Compression, encodings, records and numbers of text that others wrote."""

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.errors import InputError
from nsys_walls.textfile import (
    NumberStyle,
    cells,
    decode,
    is_text,
    open_text,
    read_head,
    read_number,
    records,
)

TEXT = 'ID,Näme\r\n0,"a\nb"\r\n'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (TEXT.encode(), TEXT),
        (TEXT.encode("utf-8-sig"), TEXT),
        (TEXT.encode("utf-16"), TEXT),
        (b"\xfe\xff" + TEXT.encode("utf-16-be"), TEXT),
        (TEXT.encode("latin-1"), TEXT),
        ("µs ".encode() + "µs".encode("latin-1"), "µs µs"),
        (b"\xff\xfeI\x00D", "ID"),  # UTF-16 that is cut in the middle of a character
        (b"", ""),
    ],
    ids=["utf-8", "bom", "utf-16-le", "utf-16-be", "latin-1", "mixed", "cut", "empty"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_text_is_read_in_every_encoding_with_its_line_ends(tmp_path, content, expected, pack):
    path = tmp_path / "file.csv"
    path.write_bytes(pack(content))
    with open_text(path) as text:
        assert text.read() == expected
    head, compressed = read_head(path)
    assert decode(head) == expected
    assert compressed == (pack is gzip.compress)


def test_only_reading_is_lenient():
    with pytest.raises(UnicodeEncodeError):
        "é".encode("ascii", errors="nsys-walls-latin-1")


def test_head_stops_at_its_limit_and_crosses_appended_gzip_files(tmp_path):
    path = tmp_path / "two.gz"
    path.write_bytes(gzip.compress(b"first,") + gzip.compress(b"second"))
    assert read_head(path) == (b"first,second", True)
    assert read_head(path, limit=8) == (b"first,se", True)
    path.write_bytes(b"first,second")
    assert read_head(path, limit=8) == (b"first,se", False)


def _damaged(kind):
    packed = gzip.compress(bytes(range(256)) * 400, mtime=0)
    if kind == "cut":
        return packed[: len(packed) // 2]
    if kind == "checksum":
        return packed[:-8] + b"\0\0\0\0" + packed[-4:]
    return packed[:10] + b"\xff" * 40 + packed[50:]


@pytest.mark.parametrize("kind", ["cut", "checksum", "garbage"])
def test_damaged_gzip_has_a_head_but_can_not_be_read(tmp_path, kind):
    path = tmp_path / "damaged.csv.gz"
    path.write_bytes(_damaged(kind))
    head, compressed = read_head(path)
    assert compressed
    assert head == (bytes(range(256)) * 400)[: len(head)]
    with (
        pytest.raises(InputError, match=r"damaged\.csv\.gz: its gzip data") as error,
        open_text(path) as text,
    ):
        text.read()
    assert error.value.slug == "damaged-file"


def test_the_head_of_a_cut_gzip_file_is_what_was_there(tmp_path):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"x" * 100_000)[:-20])
    assert len(read_head(path)[0]) > 50_000


def test_binary_files_are_no_text():
    assert not is_text(b"SQLite format 3\0")
    assert is_text("ID,\n".encode("utf-16"))


def _classify(line):
    return ("row", line) if line.startswith('"') else ("noise", line)


def test_records_join_lines_and_let_other_output_pass():
    lines = ["epoch 1\n", '"0","a\n', "==PROF== in a cell\n", 'b"\n', 'loss "2\n', '"1","c"\n']
    assert list(records(lines, _classify)) == [
        ("noise", "epoch 1\n"),
        ("row", '"0","a\n==PROF== in a cell\nb"\n'),
        ("noise", 'loss "2\n'),
        ("row", '"1","c"\n'),
    ]


def test_a_row_that_is_cut_off_does_not_swallow_the_next():
    lines = ['"0","4242","ker\n', "killed\n", '"1","4242","c"\n', '"2","42']
    assert list(records(lines, _classify)) == [
        ("cut", '"0","4242","ker\nkilled\n'),
        ("row", '"1","4242","c"\n'),
        ("cut", '"2","42'),
    ]


@given(st.lists(st.lists(st.text(), min_size=1), min_size=1))
def test_records_of_any_csv_are_its_rows(table):
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows(table)
    file.seek(0)
    found = list(records(file, _classify))
    assert {kind for kind, _ in found} == {"row"}
    assert [cells(text.removesuffix("\r\n")) for _, text in found] == table


def test_a_cell_over_the_size_limit_of_csv_is_no_row():
    assert cells('"' + "x" * 200_000 + '"') == []


@pytest.mark.parametrize(
    ("printed", "mark", "expected"),
    [
        ("0", ".", 0),
        ("-12", ".", -12),
        ("1,073,741,824", ".", 1073741824),
        ("1,234.5", ".", 1234.5),
        ("27.595.520", ".", 27595520),  # two points: they group, whatever the file says
        ("1.234,5", ".", 1234.5),
        ("65,77", ".", 65.77),
        ("0,123", ".", 0.123),
        ("1234,567", ".", 1234.567),
        ("1234.567", ",", 1234.567),
        ("117.344", ".", 117.344),
        ("117.344", ",", 117344),
        ("117,344", ".", 117344),
        ("117,344", ",", 117.344),
        ("25.165824", ",", 25.165824),
        ("12,34,567.89", ".", 1234567.89),
        ("1 234,56", ".", 1234.56),
        ("1\u202f234\u202f567", ".", 1234567),
        ("1'234.56", ".", 1234.56),
        ("5.06E+05", ",", 506000),
        ("1.234e+05", ",", 123400),  # grouped numbers have no exponent
        (" 7.5 ", ".", 7.5),
    ],
)
def test_numbers_are_read_as_printed(printed, mark, expected):
    assert read_number(printed, mark) == expected


@pytest.mark.parametrize(
    "printed",
    ["", "n/a", "nan", "inf", "1_000", "1,23,4", "1.2.3", "12%", "0x10", "1e999", "1,,000", "٣"],
)
def test_what_is_no_number_is_refused(printed):
    with pytest.raises(ValueError, match="number"):
        read_number(printed)


def test_an_ambiguous_number_needs_a_decimal_mark():
    with pytest.raises(ValueError, match="can't be read"):
        read_number("117.344", None)
    assert read_number("65,77", None) == 65.77


@pytest.mark.parametrize(
    ("printed", "exponent", "expected"),
    [("2.33", 6, 2_330_000), ("98.304", 3, 98_304), ("1.51", 9, 1_510_000_000), ("4", -9, 4e-9)],
)
def test_units_are_applied_without_rounding(printed, exponent, expected):
    assert read_number(printed, ".", exponent) == expected


def _style(*printed, whole=()):
    style = NumberStyle()
    for text in printed:
        style.see(text)
    for text in whole:
        style.see(text, is_whole=True)
    return style


@pytest.mark.parametrize(
    ("style", "mark", "has_doubt"),
    [
        (_style(), ".", False),
        (_style("12", "n/a", "NVIDIA A100, 80GB"), ".", False),
        (_style("117.344", "65.77"), ".", False),
        (_style("117.344", "65,77"), ",", False),
        (_style("117.344", "27.595.520"), ",", False),
        (_style("117,344", "1,073,741,824"), ".", False),
        (_style(whole=["117,344"]), ".", False),
        (_style(whole=["117.344"]), ",", True),  # inferred: said so
        (_style("98.304"), ".", True),  # assumed: said so
        (_style("65.77", whole=["117.344"]), ".", False),  # what is proved outranks what is meant
        (_style("65.77", "65,77"), None, True),
        (_style(whole=["117.344", "98,304"]), None, True),
        (_style("535.104.05"), ".", False),  # a version is no number
    ],
)
def test_the_decimal_mark_of_a_file(style, mark, has_doubt):
    assert style.mark == mark
    assert (style.doubt is not None) == has_doubt


GROUPS = {
    "us": (",", "."),
    "de": (".", ","),
    "fr": ("\u202f", ","),
    "ch": ("'", "."),
    "no": ("", "."),
}


def _printed(hundredths, locale):
    """Print a number with two decimals where it has any, as ncu does."""
    group, mark = GROUPS[locale]
    whole, part = divmod(hundredths, 100)
    text = f"{whole:,}".replace(",", group)
    return f"{text}{mark}{part:02}" if part else text


@given(st.lists(st.integers(0, 10**15), min_size=1), st.sampled_from(sorted(GROUPS)))
def test_numbers_of_any_country_are_read_back_or_doubted(values, locale):
    texts = [_printed(value, locale) for value in values]
    style = _style(*texts)
    read = [read_number(text, style.mark) for text in texts]
    assert style.doubt or read == [value / 100 for value in values]


@given(st.lists(st.integers(0, 10**12), min_size=1), st.sampled_from(sorted(GROUPS)))
def test_whole_numbers_of_any_country_are_read_back(values, locale):
    texts = [_printed(value * 100, locale) for value in values]
    style = _style(whole=texts)
    assert [read_number(text, style.mark) for text in texts] == values
