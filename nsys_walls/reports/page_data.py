"""The document as the HTML page carries it: whole where it fits, bounded where it doesn't.

A page is attached to pull requests, so its size has a limit whatever was traced. A document that
would pass it is cut in steps, from what a reader misses least; the page says what was cut.
"""

import base64
import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict, cast

from nsys_walls.reports import Document, Kernel
from nsys_walls.reports.wording import cut_middle

#: Kernels that a page draws and lists at most: bubbles and rows stay quick.
MOST_KERNELS = 5000
# Other rows that grow with the trace; the lists are sorted, so what is cut is the small end.
_MOST_ROWS = {"ranges": 300, "range_tree": 400, "warnings": 300, "ranks": 512, "copies": 512}
_MOST_SOURCES = 500
_MOST_IDLE_CAUSES = 300
#: Longer documents are compressed: a page with a few hundred kernels stays readable as text,
#: one with thousands stays small enough to attach.
_LONGEST_PLAIN_JSON = 500_000
#: Digits of numbers, from the most that anyone could use to one more than the page prints.
_DIGITS = (6, 4)
_NAME_WIDTHS = (4000, 1000, 300, 120)
_FEWEST_KERNELS = 100


class CutKernels(TypedDict):
    """Kernels that are left out and have something in common."""

    kernels: int
    time_ns: int


class Cut(TypedDict):
    """What of the document the page does not hold; nothing is 0, empty or None."""

    kernels: int
    kernels_time_ns: int
    #: those kernels by ``match.level``
    levels: dict[str, CutKernels]
    #: those kernels by ``side``
    sides: dict[str, CutKernels]
    ranges: int
    names_longer_than: int | None


def embed(document: Document, room: int) -> tuple[str, str]:
    """Write the document as text that can't end its script element and fits into some room.

    The page's own key ``page`` says what was cut, see `Cut`.

    Args:
        document: The report.
        room: Characters that the text may have; a document of the fewest kernels and the
            shortest names is written even where it is longer.

    Returns:
        How it is encoded (``"json"`` or ``"gzip"``, the latter in base64), and the text.
    """
    kept = document
    for kept in _with_all_kernels(document):
        found = _encode(kept)
        if len(found[1]) <= room:
            return found
    # the most kernels that fit; what they take grows with their number
    fits, too_many = min(_FEWEST_KERNELS, len(kept["kernels"])), len(kept["kernels"])
    best = _encode(_with_fewer_rows(kept, fits))
    while too_many - fits > max(1, too_many // 50):
        number = (fits + too_many) // 2
        found = _encode(_with_fewer_rows(kept, number))
        if len(found[1]) <= room:
            fits, best = number, found
        else:
            too_many = number
    return best


def packed(text: str) -> str:
    """Compress a text with gzip, as base64; the same text gives the same result."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode("ascii")


def script_json(value: object) -> str:
    """Write JSON that can't end the script element it stands in."""
    text = json.dumps(value, allow_nan=False, sort_keys=True, separators=(",", ":"))
    # json.dumps has escaped all that is not ASCII, U+2028 and U+2029 included
    for char in "<>&":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def _encode(document: Document) -> tuple[str, str]:
    text = script_json(document)
    return ("gzip", packed(text)) if len(text) > _LONGEST_PLAIN_JSON else ("json", text)


def _with_all_kernels(document: Document) -> Iterator[Document]:
    """Cut ever more, but no kernel beyond those that a page draws."""
    kept = _with_fewer_rows(document, MOST_KERNELS)
    yield kept
    for digits in _DIGITS:
        kept = cast("Document", _rounded(kept, digits))
        yield kept
    for width in _NAME_WIDTHS:
        shorter = cast("Document", _shortened(kept, width))
        if shorter != kept:
            kept = _with_cut(shorter, names_longer_than=width)
            yield kept


def _with_fewer_rows(document: Document, most_kernels: int) -> Document:
    """Leave out kernels, lightest first, and rows of other long lists."""
    gone = document["kernels"][most_kernels:]
    cut: dict[str, Any] = {
        key: rows[:most]
        for key, most in _MOST_ROWS.items()
        if len(rows := cast("list[object]", document.get(key, []))) > most
    }
    sources, idle = document["run"]["sources"], document["idle"]
    if len(sources) > _MOST_SOURCES:
        cut["run"] = document["run"] | {"sources": sources[:_MOST_SOURCES]}
    if len(idle["by_cause"]) > _MOST_IDLE_CAUSES:
        cut["idle"] = idle | {"by_cause": idle["by_cause"][:_MOST_IDLE_CAUSES]}
    if not gone and not cut:
        return document
    if gone:
        tree = cut.get("range_tree", document["range_tree"])
        left = {row["id"] for row in document["kernels"][:most_kernels]}
        cut["range_tree"] = [
            node | {"kernels": [number for number in node["kernels"] if number in left]}
            for node in tree
        ]
    before = _cut_of(document)
    kept = cast("Document", document | cut | {"kernels": document["kernels"][:most_kernels]})
    return _with_cut(
        kept,
        kernels=before["kernels"] + len(gone),
        kernels_time_ns=before["kernels_time_ns"] + _time_ns(gone),
        levels=_added(before["levels"], gone, lambda row: row["match"]["level"]),
        sides=_added(before["sides"], gone, lambda row: row["side"]),
        ranges=before["ranges"] + max(0, len(document["ranges"]) - _MOST_ROWS["ranges"]),
    )


def _time_ns(kernels: Sequence[Kernel]) -> int:
    return sum(kernel["time_ns"] or 0 for kernel in kernels)


def _added(
    before: Mapping[str, CutKernels],
    gone: Iterable[Kernel],
    group_of: Callable[[Kernel], str | None],
) -> dict[str, CutKernels]:
    """Count more kernels that are left out, by group; those of no group are in none."""
    counted = {key: CutKernels(**row) for key, row in before.items()}
    for kernel in gone:
        group = group_of(kernel)
        if group is not None:
            row = counted.setdefault(group, CutKernels(kernels=0, time_ns=0))
            row["kernels"] += 1
            row["time_ns"] += kernel["time_ns"] or 0
    return counted


def _cut_of(document: Document) -> Cut:
    none = Cut(kernels=0, kernels_time_ns=0, levels={}, sides={}, ranges=0, names_longer_than=None)
    return cast("Cut", cast("dict[str, Any]", document).get("page", none))


def _with_cut(document: Document, **more: object) -> Document:
    return cast("Document", document | {"page": _cut_of(document) | more})


def _rounded(value: object, digits: int) -> object:
    """Round every float in a value to some digits."""
    if isinstance(value, float):
        return float(f"{value:.{digits}g}")
    return _inside(value, lambda inner: _rounded(inner, digits))


def _shortened(value: object, width: int) -> object:
    """Cut the middle out of every longer text in a value."""
    if isinstance(value, str):
        return cut_middle(value, width)
    return _inside(value, lambda inner: _shortened(inner, width))


def _inside(value: object, change: Any) -> object:
    if isinstance(value, dict):
        return {key: change(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [change(inner) for inner in value]
    return value
