"""Make JSON of what Kineto writes and JSON forbids.

PyTorch prints its trace piece by piece. Some versions print a bandwidth that is ``inf``, ``nan``
or ``N/A``, backslashes of Windows paths that are not doubled, and names with line ends and other
control characters in them. JSON parsers refuse all of these, and no parser likes endless numbers.
"""

import re
from collections.abc import Iterator

from nsys_walls.sources.torch_trace.content import MOST_DIGITS, PIECE_BYTES, Content

# Where a string has not ended after so many bytes, its quotes are wrong.
_LONGEST_STRING = 1 << 22

# a string, or the beginning of one; else a number or a word
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[-+\w/.]+', re.DOTALL)
_NO_NUMBER = re.compile(rb"[-+]?(?:nan|inf(?:inity)?|N/A)", re.IGNORECASE)
_BACKSLASH = re.compile(rb'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})?')
_WITHOUT_CONTROLS = bytes(max(byte, 0x20) for byte in range(256))


class Mended:
    """Gives the pieces of a trace with all that is known to be wrong put right.

    Args:
        content: The trace as it is.
    """

    def __init__(self, content: Content) -> None:
        self._pieces = _mended(content)

    def read(self, size: int) -> bytes:
        """Read a piece of any size; empty at the end, or where nothing is wanted."""
        return next(self._pieces, b"") if size else b""


def _mended(content: Content) -> Iterator[bytes]:
    held = b""
    while len(held) < _LONGEST_STRING:
        piece = content.read(PIECE_BYTES).translate(_WITHOUT_CONTROLS)
        mended, held = _mend(held + piece, is_last=not piece)
        if mended:
            yield mended
        if not piece:
            return


def _mend(text: bytes, *, is_last: bool) -> tuple[bytes, bytes]:
    """Mend a piece; what may go on in the next piece is given back as it is."""
    mended: list[bytes] = []
    done = 0
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if end == len(text) and not is_last:
            return b"".join([*mended, text[done:start]]), text[start:]
        token = match[0]
        if token.startswith(b'"'):
            token = _BACKSLASH.sub(_doubled, token) if b"\\" in token else token
        elif len(token) > MOST_DIGITS or _NO_NUMBER.fullmatch(token):
            token = b"null"
        mended += [text[done:start], token]
        done = end
    return b"".join([*mended, text[done:]]), b""


def _doubled(match: re.Match[bytes]) -> bytes:
    """Double a backslash that begins no escape."""
    return match[0] if len(match[0]) > 1 else rb"\\"
