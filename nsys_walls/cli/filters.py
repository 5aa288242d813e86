"""The options that choose a part of a run."""

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated

import typer

from nsys_walls.errors import UsageError

if TYPE_CHECKING:
    from nsys_walls.store.selection import Edge, Selection, Window

NvtxOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="RANGE",
        help="Only kernels launched in NVTX ranges of this name or pattern (* and ?); repeatable.",
    ),
]
WindowOption = Annotated[
    str | None,
    typer.Option(
        metavar="START:END",
        help="Only work that starts in this time: 1.5s:2s, 200ms:, :50%; seconds without a unit.",
    ),
]
DeviceOption = Annotated[
    list[int] | None, typer.Option(metavar="N", help="Only this GPU, by its number; repeatable.")
]
StreamOption = Annotated[
    list[int] | None, typer.Option(metavar="N", help="Only this stream; repeatable.")
]
KernelOption = Annotated[
    str | None, typer.Option(metavar="REGEX", help="Only kernels with this in their full name.")
]

_EDGE = re.compile(r"(?P<number>\d{1,12}(?:\.\d{0,9})?|\.\d{1,9})\s*(?P<unit>ns|us|µs|ms|s|%)?")
_NS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, None: 10**9}


def selection_of(
    nvtx: list[str] | None,
    window: str | None,
    devices: list[int] | None,
    streams: list[int] | None,
    kernel: str | None,
) -> "Selection":
    """Read the typed filters.

    Raises:
        UsageError: The window is not of its form.
    """
    from nsys_walls.store.selection import Selection

    return Selection(
        nvtx=tuple(nvtx or ()),
        window=None if window is None else _window(window),
        devices=tuple(sorted(set(devices or ()))),
        streams=tuple(sorted(set(streams or ()))),
        kernel=kernel,
    )


def _window(text: str) -> "Window":
    from nsys_walls.store.selection import Window

    edges = _edges(text)
    if edges is None or edges == (None, None) or _is_backward(*edges):
        msg = (
            f"--window {text!r} is no window: expected START:END in s, ms, us or %, the end behind "
            "the start, such as 1.5s:2s, 200ms: or 10%:50%."
        )
        raise UsageError("option-value", msg)
    return Window(start=edges[0], end=edges[1])


def _edges(text: str) -> "tuple[Edge | None, Edge | None] | None":
    """Read both ends, None for one that is left out; None where the text is no window."""
    start, separator, end = text.partition(":")
    try:
        return (_edge(start.strip()), _edge(end.strip())) if separator else None
    except ValueError:
        return None


def _edge(text: str) -> "Edge | None":
    from nsys_walls.store.selection import Edge

    if not text:
        return None
    match = _EDGE.fullmatch(text)
    number = Decimal(match["number"]) if match else Decimal(-1)
    if match is None or (match["unit"] == "%" and number > 100):  # noqa: PLR2004  # per cent
        msg = f"{text!r} is no time"
        raise ValueError(msg)
    if match["unit"] == "%":
        return Edge(share=float(number / 100))
    return Edge(time_ns=round(number * _NS[match["unit"]]))


def _is_backward(start: "Edge | None", end: "Edge | None") -> bool:
    """Whether a window ends before it begins, as far as that can be told without the trace."""
    if start is None or end is None:
        return False
    if start.share is not None and end.share is not None:
        return end.share <= start.share
    if start.time_ns is not None and end.time_ns is not None:
        return end.time_ns <= start.time_ns
    return False
