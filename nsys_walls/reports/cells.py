"""Text on a terminal is as wide as its cells: Chinese takes two a character, an accent none."""

import re
import unicodedata
from collections.abc import Iterator

# A number and its unit are one word.
_WORD = re.compile(r" *[^ ]+(?:(?<=\d) (?=[^\W\d]|%)[^ ]+)*")
_WIDE = frozenset({"W", "F"})
_WITHOUT_CELL = frozenset({"Mn", "Me"})
# No line begins with one of these, and none ends with one of those. A quotation mark that opens
# looks as one that closes, and so does a backtick.
_EITHER = "\"'` "
_CLOSING = frozenset("，。、；：？！）》」』】〉〕”’…—·,.;:?!)]}%" + _EITHER)
_OPENING = frozenset("（《「『【〈〔“‘([{" + _EITHER)


def cells(text: str) -> int:
    """Count the cells that a text takes on a terminal.

    >>> cells("bandwidth"), cells("带宽墙"), cells("e\u0301")
    (9, 6, 1)
    """
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def _cells_of(char: str) -> int:
    if unicodedata.category(char) in _WITHOUT_CELL:
        return 0
    return 2 if unicodedata.east_asian_width(char) in _WIDE else 1


def padded(text: str, width: int, *, right: bool = False) -> str:
    """Fill a text up to a width, in cells; one that is wider stays as it is.

    Args:
        text: The text.
        width: Cells to fill.
        right: Whether it stands at the right end, as numbers do.
    """
    space = " " * (width - cells(text))
    return space + text if right else text + space


def cut_to(text: str, width: int) -> str:
    """Shorten a text to a width, in cells, by leaving out its middle.

    >>> cut_to("abcdefghij", 7), cut_to("带宽墙算力墙", 7)
    ('abc…hij', '带宽…墙')
    """
    if cells(text) <= width:
        return text
    end = _head(text[::-1], (width - 1) // 2)[::-1]
    # the accents of a letter that was left out go with it
    while end and not _cells_of(end[0]):
        end = end[1:]
    return f"{_head(text, width - 1 - cells(end))}…{end}"


def _head(text: str, width: int) -> str:
    """Take what fits into a width from the start of a text, accents with their letter."""
    taken = 0
    for place, char in enumerate(text):
        taken += _cells_of(char)
        if taken > width:
            return text[:place]
    return text


def wrapped(text: str, width: int, hanging: str = "") -> list[str]:
    """Break a text into lines of at most a width, in cells; there is at least one line.

    Lines end at spaces, and beside Chinese characters; a number stays with its unit. A word that
    is longer than a line is broken where the line ends.

    Args:
        text: The text, without control characters.
        width: Cells of a line.
        hanging: What stands in front of every line but the first; it leaves two cells at least.
    """
    lines, line, is_empty = [], "", True
    for space, piece in _pieces(text):
        rest, is_word = space + piece, _fits(piece, width - cells(hanging))
        if is_word and not is_empty and not _fits(rest, width - cells(line)):
            lines.append(line)
            line, rest = hanging, piece
        while not _fits(rest, width - cells(line)):
            head = _head(rest, width - cells(line))
            lines.append((line + head).rstrip(" "))
            line, rest = hanging, rest[len(head) :].lstrip(" ")
        line, is_empty = line + rest, False
    return [*lines, line]


def _fits(text: str, width: int) -> bool:
    # a name may be very long, and is not counted to its end
    return len(_head(text, width)) == len(text)


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield what no line may end within, each with the spaces in front of it."""
    for word in _WORD.findall(text):
        piece = word.lstrip(" ")
        space, start = word[: len(word) - len(piece)], 0
        for place in range(1, len(piece)):
            if _may_break(piece[place - 1], piece[place]):
                yield space, piece[start:place]
                space, start = "", place
        yield space, piece[start:]


def _may_break(before: str, after: str) -> bool:
    """Whether a line may end between two characters of a word."""
    if not _cells_of(after) or after in _CLOSING or before in _OPENING:
        return False
    # behind an accent, the letter that has it is not looked for
    return _cells_of(before) == 2 or _cells_of(after) == 2  # noqa: PLR2004  # cells of a wide one
