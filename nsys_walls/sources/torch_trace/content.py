"""The bytes of a trace as UTF-8, in pieces: decompressed, decoded, and mended where need be."""

import codecs
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import Protocol, cast

from nsys_walls.sources import Progress
from nsys_walls.textfile import open_text

#: What reading damaged gzip raises; garbage behind its end is damage, too.
_DAMAGE = (EOFError, zlib.error, BadGzipFile)

#: Bytes that are read at once.
PIECE_BYTES = 1 << 16

#: A number of more digits is none. Python converts integers of some thousand digits only, at
#: least 640, and the parser crashes where it does not.
MOST_DIGITS = 300

_DIGITS_AS_0 = bytes(byte if byte not in b"123456789" else 0x30 for byte in range(256))


class Source(Protocol):
    """What pieces are read from."""

    def read1(self, size: int, /) -> bytes:
        """Read at most so many bytes, with one call of the system; none at the end."""
        ...


class Content:
    """Gives a file's text as pieces of valid UTF-8, whatever its encoding is.

    Args:
        source: The bytes, decompressed.
        encoding: Their encoding.
        progress: Called with the number of bytes read so far.

    Attributes:
        at_end: Whether all was read.
        is_damaged: Whether the end is where gzip data is cut off, wrong, or followed by garbage.
            What came before is good.
    """

    def __init__(self, source: Source, encoding: str, progress: Callable[[int], None]) -> None:
        self.at_end = self.is_damaged = False
        self._source, self._progress, self._done = source, progress, 0
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")

    def read(self, size: int) -> bytes:
        """Read a piece of some ``size`` bytes; empty at the end, or where none are wanted."""
        while size and not self.at_end:
            try:
                raw = self._source.read1(size)
            except _DAMAGE:
                raw, self.is_damaged = b"", True
            self.at_end = not raw
            self._done += len(raw)
            self._progress(self._done)
            piece = self._decoder.decode(raw, final=self.at_end).encode()
            if piece:
                return piece
        return b""


class Checked:
    """Gives a trace as it is, and refuses what the parser would not survive.

    Args:
        content: The trace.
    """

    def __init__(self, content: Content) -> None:
        self._content = content

    def read(self, size: int) -> bytes:
        """Read a piece; empty at the end, or where none is wanted.

        Raises:
            ValueError: It has far too many digits in a row.
        """
        piece = self._content.read(size)
        # a number that goes on in the next piece has half of its digits in one of the two
        if b"0" * MOST_DIGITS in piece.translate(_DIGITS_AS_0):
            raise ValueError(f"more than {MOST_DIGITS} digits in a row")
        return piece


@contextmanager
def opened(path: Path, progress: Progress) -> Iterator[Content]:
    """Open a trace.

    Args:
        path: The file, gzipped or not.
        progress: Called with bytes in place of rows; how many to expect of gzip is not known.
    """
    with open_text(path) as text:
        # the text itself would lose what comes just before the damage
        source = cast("Source", text.buffer)
        total = None if isinstance(source, GzipFile) else path.stat().st_size
        yield Content(source, text.encoding, lambda done: progress(done, total))
