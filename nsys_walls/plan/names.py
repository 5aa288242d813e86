r"""Kernel names as regular expressions for ``ncu --kernel-name regex:``.

ncu reads ECMAScript expressions that may match anywhere, so ours are anchored by who joins
them. A name can hold anything: what an expression would read as syntax is escaped, and what
a shell, a terminal or a list of options could trip over (commas, control characters, letters
outside ASCII) is matched without being written: a comma by any one sign, the others by signs
that are not printable ASCII. Of a long name, pieces are written: its head, its tail and what
tells it from other names.
"""

import re
from collections.abc import Collection, Iterable, Sequence

#: Longest expression of one name, bytes: Linux takes 131,072 bytes as one argument.
LONGEST_PATTERN = 100_000

# Names up to here are written whole.
_LONGEST_WHOLE = 160
_HEAD, _TAIL = 120, 30
# What is written of a long name on both sides of the first sign that tells it from another one.
_AROUND = 20
_MOST_PIECES = 8

_SYNTAX = re.compile(r"[\\^$.|?*+()\[\]{}]")
_UNPRINTABLE = re.compile(r"[^ -~]+")
_UNPRINTABLES = "[^ -~]+"
_ANY_SIGN, _COMMA = ".", r"\x2c"

#: First and last character of a part of a name, as for slices.
_Span = tuple[int, int]


def name_patterns(wanted: Iterable[str], names: Collection[str]) -> dict[str, str | None]:
    """Write the expressions of some names, see `name_pattern`.

    Args:
        wanted: The names.
        names: All names of the trace.
    """
    by_length: dict[int, list[str]] = {}
    for name in names:
        by_length.setdefault(len(name), []).append(name)
    return {
        # where every sign but commas is written, only a name of the same length can match too
        name: name_pattern(name, by_length.get(len(name), ()) if _is_fixed(name) else names)
        for name in dict.fromkeys(wanted)
    }


def name_pattern(name: str, names: Collection[str]) -> str | None:
    r"""Write an expression that matches one name and none of others, without anchors.

    Args:
        name: The name, as the trace has it.
        names: The others; the name itself may be among them.

    Returns:
        The expression in printable ASCII without commas; None where there is none that ncu
        could be handed over: it would be too long, or match another name.

    >>> name_pattern("void copy<(int)4, float>(T1 *)", ())
    'void copy<\\(int\\)4. float>\\(T1 \\*\\)'
    """
    others = [other for other in names if other != name]
    whole = [(0, len(name))]
    if _is_short(name):
        tried = [(whole, _ANY_SIGN), (whole, _COMMA)]
    else:
        others = _beginning_alike(name, others)
        tried = [(_pieces(name, others), _ANY_SIGN), (whole, _ANY_SIGN), (whole, _COMMA)]
    for spans, comma in tried:
        pieces = [_escape(name[begin:end], comma) for begin, end in spans]
        pattern = ".*".join(pieces)
        if len(pattern) <= LONGEST_PATTERN and not _matching(pieces, spans[-1], others):
            return pattern
    return None


def why_no_pattern(name: str) -> str:
    """Say why a name has no expression, one clause."""
    if _UNPRINTABLE.search(name) and len(name) <= _LONGEST_WHOLE:
        return "in printable ASCII, its name can't be told from another one of the trace"
    return (
        f"its name of {len(name):,} characters can't be told from others by an expression that "
        "fits a command line"
    )


def _is_short(name: str) -> bool:
    """Whether a name is written whole: "." matches no line break, so one with it must be."""
    return len(name) <= _LONGEST_WHOLE or _UNPRINTABLE.search(name) is not None


def _is_fixed(name: str) -> bool:
    return len(name) <= _LONGEST_WHOLE and not _UNPRINTABLE.search(name)


def _pieces(name: str, others: Sequence[str]) -> list[_Span]:
    """Choose what to write of a long name: more of it for as long as another name matches."""
    spans: list[_Span] = [(0, _HEAD), (len(name) - _TAIL, len(name))]
    rivals, around = list(others), _AROUND
    for _ in range(_MOST_PIECES):
        pieces = [_escape(name[begin:end], _ANY_SIGN) for begin, end in spans]
        rivals = _matching(pieces, spans[-1], rivals)
        if not rivals:
            break
        place = _first_difference(name, rivals[0])
        more = (max(0, place - around), min(len(name), place + around))
        merged = _merge([*spans, more])
        around = 2 * around if merged == spans else around
        spans = merged
    return spans


def _first_difference(name: str, other: str) -> int:
    pairs = enumerate(zip(name, other, strict=False))
    return next((place for place, (one, two) in pairs if one != two), min(len(name), len(other)))


def _beginning_alike(name: str, others: Iterable[str]) -> list[str]:
    """Leave out names with another head at little cost: they are many, and mostly all."""
    found, place = list(others), 0
    for part in name[:_HEAD].split(","):
        found = [other for other in found if other.startswith(part, place)]
        place += len(part) + 1
    return found


def _merge(spans: Iterable[_Span]) -> list[_Span]:
    """Put spans in order, and those together that touch."""
    merged: list[_Span] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def _matching(pieces: Sequence[str], last: _Span, names: Iterable[str]) -> list[str]:
    """List the names that consist of some pieces in this order, with anything between them.

    The same as one expression with ".*" between them, which could try for ever: several pieces
    are of a fixed length each, so the first place of each one is the best.
    """
    head, *inner = (re.compile(piece, re.DOTALL) for piece in pieces)
    if not inner:
        return [name for name in names if head.fullmatch(name)]
    *inner, tail = inner
    length = last[1] - last[0]
    return [name for name in names if _consists_of(name, (head, *inner), tail, length)]


def _consists_of(
    name: str, pieces: Sequence[re.Pattern[str]], tail: re.Pattern[str], tail_length: int
) -> bool:
    place = 0
    for number, piece in enumerate(pieces):
        found = piece.search(name, place) if number else piece.match(name)
        if found is None:
            return False
        place = found.end()
    begin = len(name) - tail_length
    return place <= begin and tail.fullmatch(name, begin) is not None


def _escape(text: str, comma: str) -> str:
    parts = (_SYNTAX.sub(r"\\\g<0>", part).replace(",", comma) for part in _UNPRINTABLE.split(text))
    return _UNPRINTABLES.join(parts)
