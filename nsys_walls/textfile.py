"""Text that profilers wrote: its compression, its encoding, its records and its numbers.

Profiler output reaches us through pipes, shells, editors and spreadsheets of many countries.
What all text formats share is undone here, so that readers see plain lines and plain numbers.
"""

import codecs
import csv
import gzip
import io
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Final, Literal, TextIO

from nsys_walls.errors import InputError
from nsys_walls.texts import Text, text

_GZIP: Final = b"\x1f\x8b"
_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LENIENT: Final = "nsys-walls-latin-1"
_STEP = 512  # compressed bytes at a time: what precedes the damage in a file is kept

#: What a line is to a reader: part of a row, a header, something else that was printed,
#: or a row whose quotes were never closed.
Kind = Literal["row", "header", "noise", "cut"]
Mark = Literal[".", ","]


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Read bytes that are no UTF-8 as Latin-1, the other encoding that names come in."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_LENIENT, _as_latin_1)


def read_head(path: Path, limit: int = 1 << 20) -> tuple[bytes, bool]:
    """Read the beginning of a file, decompressed where it is gzip.

    Args:
        path: An existing file.
        limit: How many bytes of content, at most.

    Returns:
        The bytes, and whether the file is gzip. From damaged gzip, what could be read.
    """
    with path.open("rb") as file:
        head = file.read(max(limit, len(_GZIP)))
        if not head.startswith(_GZIP):
            return head[:limit], False
        file.seek(0)
        return _gunzip(iter(lambda: file.read(_STEP), b""), limit), True


def _gunzip(chunks: Iterable[bytes], limit: int) -> bytes:
    """Decompress up to ``limit`` bytes; stop without complaint where the data is damaged."""
    content = bytearray()
    engine = zlib.decompressobj(zlib.MAX_WBITS | 16)
    for chunk in chunks:
        rest = chunk
        while rest and len(content) < limit:
            try:
                content += engine.decompress(rest, limit - len(content))
            except zlib.error:
                return bytes(content)
            rest = engine.unused_data
            if engine.eof:  # gzip files may be appended to each other
                engine = zlib.decompressobj(zlib.MAX_WBITS | 16)
    return bytes(content)


def decode(head: bytes) -> str:
    r"""Decode the beginning of a text file, as `open_text` would.

    >>> decode(b"\xff\xfeI\0D\0"), decode("\ufeffID".encode())
    ('ID', 'ID')
    """
    return head.decode(_encoding(head), errors=_LENIENT)


def is_text(head: bytes) -> bool:
    """Whether the beginning of a file can be text: no NUL bytes but those of UTF-16."""
    return head.startswith(_UTF_16) or b"\0" not in head


def _encoding(head: bytes) -> str:
    """Tell UTF-16, which PowerShell writes on redirection, from everything else."""
    return "utf-16" if head.startswith(_UTF_16) else "utf-8-sig"


def has_line(head: bytes, is_wanted: Callable[[str], bool]) -> bool:
    """Say whether the beginning of a file is text with a wanted line.

    Args:
        head: First bytes of the content.
        is_wanted: Called with each line, its end included, until it says yes.
    """
    return is_text(head) and any(map(is_wanted, decode(head).splitlines(keepends=True)))


@contextmanager
def open_text(path: Path) -> Iterator[TextIO]:
    """Open a text file for streaming; line ends are kept, as the csv module wants them.

    Raises:
        InputError: ``damaged-file``, also while reading: the gzip data is damaged or cut off.
    """
    head, is_gzip = read_head(path, limit=2)
    try:
        with (
            gzip.open(path, "rb") if is_gzip else path.open("rb") as file,
            io.TextIOWrapper(file, _encoding(head), errors=_LENIENT, newline="") as text,
        ):
            yield text
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        msg = f"{path.name}: its gzip data is damaged or cut off; copy or compress the file again."
        raise InputError("damaged-file", msg) from error


# Inside an open quoted field a line can't begin like this: its first quote would be doubled.
_NEXT_ROW = re.compile(r'"\d+",')


def records(
    lines: Iterable[str], classify: Callable[[str], tuple[Kind, str]]
) -> Iterator[tuple[Kind, str]]:
    """Join lines to CSV records, whatever else stands between them.

    Args:
        lines: Lines with their ends.
        classify: Says what a line is that begins a record, and which part of it counts.

    Yields:
        What it is, and the text: of a row, all its lines.
    """
    pending, is_open = "", False
    for line in lines:
        if is_open and not _NEXT_ROW.match(line):
            pending += line
            is_open = line.count('"') % 2 == 0
        else:
            if is_open:
                yield "cut", pending
            kind, pending = classify(line)
            is_open = kind == "row" and pending.count('"') % 2 == 1
            if kind != "row":
                yield kind, pending
                continue
        if not is_open:
            yield "row", pending
    if is_open:
        yield "cut", pending


def cells(record: str, delimiter: str = ",") -> list[str]:
    """Split a CSV record into cells; an unreadable one has none.

    >>> cells('"0","f<1, 2>(char *)",""')
    ['0', 'f<1, 2>(char *)', '']
    """
    try:
        return next(csv.reader([record], delimiter=delimiter), [])
    except csv.Error:  # a cell over csv's size limit, or a bare carriage return
        return []


def _style(mark: str, group: str) -> re.Pattern[str]:
    """Build the pattern of numbers that are printed with this decimal mark."""
    fraction = rf"(?:[{mark}]\d*)?"
    thousands = rf"[1-9]\d{{0,2}}(?:[{group}]\d{{3}})+"
    indian = rf"[1-9]\d?(?:[{group}]\d\d)+[{group}]\d{{3}}"
    plain = rf"\d+{fraction}(?:[eE][+-]?\d+)?"
    return re.compile(rf"[+-]?(?:{plain}|(?:{thousands}|{indian}){fraction})", re.ASCII)


_POINT, _COMMA = _style(".", ","), _style(",", ".")
# French and Swiss group separators: spaces of several widths, apostrophes
_SPACED = re.compile(r"(?<=\d)[ '’\u00a0\u2009\u202f](?=\d{3})")


class NumberStyle:
    """Finds the decimal mark of a file from all numbers that are printed in it.

    The rule: a number that can be read with one decimal mark only proves it (``65,77``,
    ``27.595.520``, ``1,234.5``, ``0.500``). Where none does, numbers that must be whole
    because of what they count (bytes, nanoseconds) decide: ``117.344`` is then 117 thousand.
    Without either the point is taken. Where numbers prove both, there is no answer, and only
    numbers that speak for themselves can be read.

    >>> style = NumberStyle()
    >>> for text in ("117.344", "27.595.520", "65,77"):
    ...     style.see(text)
    >>> style.mark, read_number("117.344", style.mark)
    (',', 117344.0)

    Attributes:
        is_ambiguous: Whether a number was seen that can be read in two ways.
    """

    def __init__(self) -> None:
        self.is_ambiguous = False
        self._proved: set[Mark] = set()
        self._implied: set[Mark] = set()

    def see(self, text: str, *, is_whole: bool = False) -> None:
        """Take a printed number into account; other text is ignored.

        Args:
            text: A cell.
            is_whole: Whether what it counts has no fractions.
        """
        if "." not in text and "," not in text:
            return
        bare = _SPACED.sub("", text)
        with_point, with_comma = _POINT.fullmatch(bare), _COMMA.fullmatch(bare)
        if with_point and with_comma:
            self.is_ambiguous = True
            if is_whole:
                self._implied.add("," if "." in bare else ".")
        elif with_point:
            self._proved.add(".")
        elif with_comma:
            self._proved.add(",")

    @property
    def is_proved(self) -> bool:
        """Whether some number can be read in one way only."""
        return bool(self._proved)

    @property
    def mark(self) -> Mark | None:
        """The decimal mark, or None where the numbers contradict each other."""
        evidence = self._proved or self._implied or {"."}
        return next(iter(evidence)) if len(evidence) == 1 else None

    @property
    def doubt(self) -> Text | None:
        """How numbers that can be read in two ways were read, where that is in doubt."""
        if self.mark is None:
            return text("source.mixed_marks")
        if self._proved or not self.is_ambiguous:
            return None
        if not self._implied:
            return text("source.unknown_mark")
        if self.mark == ",":
            return text("source.points_group")
        return None


def read_number(text: str, mark: Mark | None = ".", exponent: int = 0) -> float:
    """Read a printed number.

    Args:
        text: The number, with or without grouped thousands.
        mark: Decimal mark of the file, for numbers that can be read in two ways; None
            where it is unknown.
        exponent: Power of ten of the unit, applied without a rounding of its own.

    Raises:
        ValueError: It is no number, or can be read in two ways and ``mark`` is None.

    >>> read_number("1,073,741,824"), read_number("2.33", exponent=6), read_number("1.234,5")
    (1073741824.0, 2330000.0, 1234.5)
    """
    bare = _SPACED.sub("", text.strip())
    with_point, with_comma = _POINT.fullmatch(bare), _COMMA.fullmatch(bare)
    if with_point and with_comma:
        chosen = mark if "." in bare or "," in bare else "."
    else:
        chosen = "." if with_point else "," if with_comma else None
    if chosen is None:
        msg = f"{text!r} can't be read as a number"
        raise ValueError(msg)
    digits = bare.replace("," if chosen == "." else ".", "").replace(chosen, ".")
    value = float(Decimal(digits).scaleb(exponent)) if exponent else float(digits)
    if not math.isfinite(value):
        msg = f"{text!r} is too large for a number"
        raise ValueError(msg)
    return value
