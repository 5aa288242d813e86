"""One GPU as a TOML file describes it: ours in ``data/hardware/``, or a user's own.

Peaks are dense; what a data sheet prints with 2:4 sparsity is halved in the file.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

from nsys_walls.errors import UsageError
from nsys_walls.texts import Text, text

T = TypeVar("T")

#: Precisions that have compute walls of their own, in the order of every listing.
#: ``*_fp16acc`` is tensor work that accumulates in FP16, listed where it is faster.
PRECISIONS = (
    "fp64", "fp64_tensor", "fp32", "tf32_tensor", "fp16", "fp16_tensor", "bf16_tensor",
    "fp8_tensor", "int8_tensor", "fp4_tensor", "fp16_tensor_fp16acc", "fp8_tensor_fp16acc",
)  # fmt: skip

#: Numbers of a part beside its peaks, in the order of every listing.
BOARD_NUMBERS = (
    "sm_count", "clock_hz", "tensor_clock_hz", "memory_bytes", "l2_bytes", "bandwidth_bytes_per_s",
    "pcie_bytes_per_s", "nvlink_bytes_per_s", "c2c_bytes_per_s",
)  # fmt: skip

_KEYS = frozenset(
    {
        *("id", "name", "architecture", "compute_capability", "segment", "order", "mig"),
        *("aliases", "notes", "sparse_halved", "sources", "peak_flop_per_s", *BOARD_NUMBERS),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One published number.

    Attributes:
        value: In base units, above 0.
        source: Title or address of the document that it stands in.
        checked: Day on which it was last compared with that document; None in a user's file.
        second_hand: Whether the document itself could not be read: on that day, the number was
            taken over from others who quote it.
    """

    value: float
    source: str
    checked: date | None = None
    second_hand: bool = False

    @property
    def document(self) -> Text:
        """Source and check date as one text."""
        return cite(self.source, self.checked, second_hand=self.second_hand)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """The published numbers of one GPU.

    Attributes:
        id: Short name for ``--hw``, such as ``"a100-sxm4-80"``.
        name: Vendor's name of exactly this part.
        bandwidth_bytes_per_s: Peak DRAM bandwidth, byte/s (1 GB is 1e9 bytes).
        peak_flop_per_s: Dense peak by precision, FLOP/s (one FMA is two). A precision that is
            absent is not offered by the part, or not published.
        aliases: Other names: those in traces, and those of families, which parts may share.
        order: Place in the table; of several parts that fit a name, the lowest is taken.
        architecture: Such as ``"Ampere"``, or None in a user's file.
        compute_capability: ``major.minor``, or None.
        segment: ``geforce``, ``pro``, ``datacenter``, ``jetson`` or ``desktop``, or None.
        mig: Whether it can be split into MIG slices.
        sparse_halved: Precisions whose document prints twice this, with 2:4 sparsity.
        notes: Conflicts between sources, and what is peculiar.
        sm_count: Streaming multiprocessors that are enabled.
        clock_hz: Boost clock, Hz, as traces report it.
        tensor_clock_hz: Clock of the tensor peaks where that is another one, Hz.
        memory_bytes: Size of the DRAM, bytes (data sheets print GiB as GB).
        l2_bytes: Size of the L2 cache, bytes.
        pcie_bytes_per_s: PCIe, byte/s in one direction, after the encoding of the link. This and
            the next two are halves of what data sheets print for both directions together.
        nvlink_bytes_per_s: NVLink, byte/s in one direction, of all links of the GPU together.
        c2c_bytes_per_s: NVLink-C2C between this GPU and its CPU, byte/s in one direction.
    """

    id: str
    name: str
    bandwidth_bytes_per_s: Number
    peak_flop_per_s: Mapping[str, Number]
    aliases: tuple[str, ...] = ()
    order: int = 0
    architecture: str | None = None
    compute_capability: str | None = None
    segment: str | None = None
    mig: bool = False
    sparse_halved: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sm_count: Number | None = None
    clock_hz: Number | None = None
    tensor_clock_hz: Number | None = None
    memory_bytes: Number | None = None
    l2_bytes: Number | None = None
    pcie_bytes_per_s: Number | None = None
    nvlink_bytes_per_s: Number | None = None
    c2c_bytes_per_s: Number | None = None

    @property
    def board(self) -> dict[str, Number]:
        """The numbers beside its peaks, by their key, in the order of listings."""
        numbers = {key: getattr(self, key) for key in BOARD_NUMBERS}
        return {key: number for key, number in numbers.items() if number is not None}

    def balance_flop_per_byte(self, precision: str) -> float | None:
        """Peak over bandwidth, FLOP/byte; None for a precision without a peak."""
        peak = self.peak_flop_per_s.get(precision)
        return peak.value / self.bandwidth_bytes_per_s.value if peak else None


def cite(source: str, checked: date | None, *, second_hand: bool) -> Text:
    """Write a source and its check date as one text; see `Number`.

    >>> cite("Card datasheet", date(2026, 5, 4), second_hand=True).written()
    'Card datasheet (second hand, 2026-05-04)'
    """
    if checked is None:
        return text("document.given", file=source)
    key = "document.second_hand" if second_hand else "document.checked"
    return text(key, title=source, day=str(checked))


def read_hardware_file(path: Path) -> Hardware:
    """Read a GPU that a user describes, with the keys of the table's own files.

    ``name`` and ``bandwidth_bytes_per_s`` are needed; numbers may be bare.

    Raises:
        UsageError: The file can't be read or does not describe a GPU.
    """
    try:
        text = path.read_text("utf-8")
    except FileNotFoundError:
        msg = f"{path.name}: not found; expected a GPU of `nsys-walls hw` or an existing TOML file."
        raise UsageError("not-found", msg) from None
    except (OSError, UnicodeDecodeError):
        msg = f"{path.name}: can't be read as text; expected a TOML file that describes a GPU."
        raise UsageError("hardware-file", msg) from None
    return parse_hardware(text, path.name)


def parse_hardware(text: str, label: str) -> Hardware:
    """Read one GPU from TOML.

    Args:
        text: Content of the file.
        label: Name of the file, for messages; its stem is the id where none is given.

    Raises:
        UsageError: Something in it is not as expected; the message names the key.
    """
    try:
        return _hardware(tomllib.loads(text), label)
    except tomllib.TOMLDecodeError as error:
        reason = f"is not TOML ({error})"
    except RecursionError:
        reason = "is nested too deeply"
    except _WrongError as error:
        reason = str(error)
    example = "bandwidth_bytes_per_s = 2039e9, and [peak_flop_per_s] with fp32 = 19.5e12"
    msg = f'{label}: {reason}; expected name = "...", {example}.'
    raise UsageError("hardware-file", msg)


# Beyond, ratios and products leave what a number can hold.
_LEAST, _MOST = 1e-3, 1e24


class _WrongError(Exception):
    """A key does not hold what it should."""


def _hardware(raw: Mapping[str, object], label: str) -> Hardware:
    _refuse_unknown(raw.keys() - _KEYS, "key of a hardware file")
    documents, peaks = _table(raw, "sources"), _table(raw, "peak_flop_per_s")
    _refuse_unknown(peaks.keys() - set(PRECISIONS), f"precision ({', '.join(PRECISIONS)})")
    board = {key: _number(raw[key], key, documents, label) for key in BOARD_NUMBERS if key in raw}
    name, bandwidth = _optional(raw, "name", str), board.pop("bandwidth_bytes_per_s", None)
    if not name or bandwidth is None:
        msg = f"{'bandwidth_bytes_per_s' if name else 'name'} is missing"
        raise _WrongError(msg)
    return Hardware(
        id=_optional(raw, "id", str) or Path(label).stem,
        name=name,
        bandwidth_bytes_per_s=bandwidth,
        peak_flop_per_s={
            key: _number(peaks[key], key, documents, label) for key in PRECISIONS if key in peaks
        },
        aliases=_texts(raw, "aliases"),
        order=_optional(raw, "order", int) or 0,
        architecture=_optional(raw, "architecture", str),
        compute_capability=_optional(raw, "compute_capability", str),
        segment=_optional(raw, "segment", str),
        mig=_optional(raw, "mig", bool) or False,
        sparse_halved=_texts(raw, "sparse_halved"),
        notes=_texts(raw, "notes"),
        **board,
    )


def _refuse_unknown(keys: set[str], what: str) -> None:
    if keys:
        msg = f"{min(keys)} is no {what}"
        raise _WrongError(msg)


def _number(raw: object, key: str, documents: Mapping[str, object], label: str) -> Number:
    """Read ``{ value = 312e12, source = "whitepaper" }``, or a bare number of the file's own."""
    value, source = raw, None
    if isinstance(raw, dict):
        value, source = raw.get("value"), raw.get("source")
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not _LEAST <= value <= _MOST
    ):
        msg = f"{key} is not a number above 0 of a size that can be"
        raise _WrongError(msg)
    if source is None:
        return Number(value=value, source=label)
    document = _table(documents, str(source))
    title, checked = _optional(document, "title", str), _optional(document, "checked", date)
    if title is None or checked is None:
        msg = f"{key} has source {source!r}, which has no title and checked day in [sources]"
        raise _WrongError(msg)
    return Number(
        value=value,
        source=title,
        checked=checked,
        second_hand=_optional(document, "second_hand", bool) or False,
    )


def _optional(raw: Mapping[str, object], key: str, kind: type[T]) -> T | None:
    value = raw.get(key)
    if value is None or isinstance(value, kind):
        return value
    msg = f"{key} is not of type {kind.__name__}"
    raise _WrongError(msg)


def _texts(raw: Mapping[str, object], key: str) -> tuple[str, ...]:
    values = _optional(raw, key, list) or []
    if not all(isinstance(value, str) for value in values):
        msg = f"{key} is not a list of texts"
        raise _WrongError(msg)
    return tuple(values)


def _table(raw: Mapping[str, object], key: str) -> Mapping[str, object]:
    return _optional(raw, key, dict) or {}
