"""What a user selected, in the numbers of a run; and what to say where nothing is left."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import get_close_matches

from nsys_walls.errors import UsageError
from nsys_walls.roofline.points import Point, Points
from nsys_walls.roofline.range_forest import RangeForest
from nsys_walls.roofline.run_devices import RunDevices
from nsys_walls.store.selection import Extent, Selected, Selection

_SHOWN = 8
_LONGEST = 80
_COMPARED = 2_000
_COMPARED_LENGTH = 200


def resolve_selection(
    selection: Selection, points: Points, devices: RunDevices, forest: RangeForest
) -> Selected:
    """Put a selection into the numbers of a run.

    Raises:
        UsageError: A pattern is none, or names nothing that the run has.
    """
    known = set(devices.facts)
    if not set(selection.devices) <= known:
        strange = min(set(selection.devices) - known)
        raise _empty(f"--device {strange}", "devices", map(str, sorted(known)))
    return Selected(
        devices=frozenset(selection.devices) or None,
        window=selection.window,
        streams=frozenset(selection.streams) or None,
        points=None if selection.kernel is None else _points(selection.kernel, points),
        ranges=forest.inside(selection.nvtx) if _known_ranges(selection, forest) else None,
    )


def _points(pattern: str, points: Points) -> frozenset[int]:
    try:
        rule = re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        msg = f"--kernel {pattern!r} is no regular expression: {error}."
        raise UsageError("option-value", msg) from error
    names = [point.key.full_name for point in points.points]
    chosen = frozenset(number for number, name in enumerate(names) if rule.search(name))
    if not chosen:
        raise _empty(f"--kernel {pattern!r}", "kernels", names)
    return chosen


def _known_ranges(selection: Selection, forest: RangeForest) -> bool:
    """Whether ranges are selected, all patterns of which fit some range."""
    for pattern in selection.nvtx:
        if not forest:
            raise _empty(f"--nvtx {pattern!r}", "NVTX ranges", ())
        if not forest.inside([pattern]).num_rows:
            near = _nearest(pattern, forest.names)
            raise _empty(f"--nvtx {pattern!r}", "NVTX ranges", near, len(forest.names))
    return bool(selection.nvtx)


def _nearest(asked: str, names: Sequence[str]) -> list[str]:
    """Guess which names were meant; comparing takes long for many names and for long ones."""
    some = [name[:_COMPARED_LENGTH] for name in names[:_COMPARED]]
    return get_close_matches(asked[:_COMPARED_LENGTH], some, n=_SHOWN, cutoff=0)


def is_chosen(point: Point, number: int, selected: Selected) -> bool:
    """Whether a point without launches of its own is selected, by its device and its name."""
    on_device = selected.devices is None or point.key.device in selected.devices
    return on_device and (selected.points is None or number in selected.points)


def nothing_selected(selection: Selection, extent: Extent) -> UsageError:
    """Make the error of a selection that leaves no kernel of a run.

    Args:
        selection: What was asked for.
        extent: What there is.
    """
    streams = sorted({stream for _, stream in extent.streams if stream is not None})
    if selection.streams and not set(selection.streams) & set(streams):
        return _empty(f"--stream {selection.streams[0]}", "streams", map(str, streams))
    if selection.window and replace(selection, window=None).is_everything:
        return _empty(f"--window {selection.window}", "times", [extent.window_text()])
    pairs = [
        f"device {device} stream {'unknown' if stream is None else stream} ({launches:,} launches)"
        for (device, stream), launches in extent.streams.items()
    ]
    there_is = [f"times {extent.window_text()}", *pairs]
    return _empty(str(selection), "launches", there_is)


def _empty(asked: str, what: str, there_is: Iterable[str], count: int | None = None) -> UsageError:
    found = list(dict.fromkeys(there_is))
    shown = [name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…" for name in found[:_SHOWN]]
    more = (len(found) if count is None else count) - len(shown)
    listed = ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")
    rest = f"there are: {listed}" if listed else f"this run has no {what}"
    return UsageError("empty-selection", f"{asked} selects no {what}; {rest}.")
