"""``nsys-walls hw``: the hardware table, with the document behind each number."""

import json
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from nsys_walls.roofline.hardware_file import Hardware, Number

#: Precisions of the table's columns; every other one is shown with a part's name.
_COLUMNS = {"FP32": "fp32", "FP16T": "fp16_tensor", "BF16T": "bf16_tensor", "FP8T": "fp8_tensor"}
_BALANCED = "fp16_tensor"
_WIDTH = 100
_LEGEND = (
    "Bandwidth in GB/s; dense peaks in TFLOP/s, T for tensor cores. Balance and half of it: the",
    "intensity in FLOP/byte at which FP16T and bandwidth meet. From: documents of these two.",
)
_PRINTED = {
    "sm_count": (1, "SMs"),
    "clock_hz": (1e6, "MHz"),
    "tensor_clock_hz": (1e6, "MHz"),
    "memory_bytes": (2**30, "GiB"),
    "l2_bytes": (2**20, "MiB"),
    "bandwidth_bytes_per_s": (1e9, "GB/s"),
    "pcie_bytes_per_s": (1e9, "GB/s per direction"),
    "nvlink_bytes_per_s": (1e9, "GB/s per direction"),
    "c2c_bytes_per_s": (1e9, "GB/s per direction"),
}


def hw(
    name: Annotated[
        str | None, typer.Argument(help="A GPU: id, alias, name in a trace, or a TOML file.")
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print the hardware table, or all numbers of one GPU with their sources."""
    from nsys_walls.roofline.hardware import all_hardware, candidates

    parts = all_hardware() if name is None else candidates(name)
    if as_json:
        typer.echo(_json(parts))
    elif name is None:
        typer.echo("\n".join(_table(parts)))
    else:
        typer.echo("\n\n".join("\n".join(_details(part)) for part in parts))


class _Documents:
    """Numbers the documents in the order in which they are cited."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def cite(self, documents: Iterable[str]) -> str:
        """Give the numbers of some documents, such as ``1,4``."""
        numbers = {
            self._numbers.setdefault(document, len(self._numbers) + 1) for document in documents
        }
        return ",".join(map(str, sorted(numbers)))

    def lines(self) -> list[str]:
        """List what was cited."""
        return [
            line
            for document, number in self._numbers.items()
            for line in _wrap(f"[{number}]", document)
        ]


def _wrap(label: str, text: str) -> list[str]:
    indent = " " * 5
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=label.ljust(len(indent)),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(value: float | None, scale: float = 1) -> str:
    """Print up to five digits, without a trailing ``.0``; a dash for what is not published."""
    return "-" if value is None else f"{value / scale:.5g}"


def _table(parts: Sequence["Hardware"]) -> list[str]:
    documents = _Documents()
    rows = [("ID", "NAME", "GB/s", *_COLUMNS, "BALANCE", "HALF", "FROM")]
    for part in parts:
        peaks = [part.peak_flop_per_s.get(precision) for precision in _COLUMNS.values()]
        balance = part.balance_flop_per_byte(_BALANCED)
        cited = (part.bandwidth_bytes_per_s, part.peak_flop_per_s.get(_BALANCED))
        rows.append(
            (
                part.id,
                part.name.removeprefix("NVIDIA "),
                _plain(part.bandwidth_bytes_per_s.value, 1e9),
                *(_plain(peak.value if peak else None, 1e12) for peak in peaks),
                f"{balance:.1f}" if balance else "-",
                f"{balance / 2:.1f}" if balance else "-",
                documents.cite(str(number.document) for number in cited if number),
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = {0, 1, len(widths) - 1}
    lines = [
        " ".join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [*lines, "", *_LEGEND, "", *documents.lines()]


def _details(part: "Hardware") -> list[str]:
    documents = _Documents()
    kind = [part.architecture, part.segment]
    if part.compute_capability:
        kind.append(f"compute capability {part.compute_capability}")
    lines = [f"{part.id}: {part.name}", f"  {', '.join(text for text in kind if text)}"]
    lines += _wrap("", f"also called {', '.join(part.aliases)}") if part.aliases else []
    for key, number in {**part.board, **part.peak_flop_per_s}.items():
        scale, unit = _PRINTED.get(key, (1e12, "TFLOP/s, dense"))
        cells = f"  {key:<22}{_plain(number.value, scale):>8} {unit}"
        balance = part.balance_flop_per_byte(key)
        if balance:
            cells = f"{cells:<48} balance {balance:.1f}, half {balance / 2:.1f} FLOP/byte"
        lines.append(f"{cells:<90} [{documents.cite([str(number.document)])}]")
    if part.sparse_halved:
        halved = ", ".join(part.sparse_halved)
        lines += _wrap("  *", f"Data sheets also print twice this, with 2:4 sparsity: {halved}.")
    for note in part.notes:
        lines += _wrap("  *", note)
    return [*lines, *documents.lines()]


def _json(parts: Iterable["Hardware"]) -> str:
    rows = [
        {
            "id": part.id,
            "name": part.name,
            "aliases": part.aliases,
            "architecture": part.architecture,
            "compute_capability": part.compute_capability,
            "segment": part.segment,
            "mig": part.mig,
            **{key: _cited(number) for key, number in part.board.items()},
            "peak_flop_per_s": {key: _cited(peak) for key, peak in part.peak_flop_per_s.items()},
            "balance_flop_per_byte": {
                precision: part.balance_flop_per_byte(precision)
                for precision in part.peak_flop_per_s
            },
            "sparse_halved": part.sparse_halved,
            "notes": part.notes,
        }
        for part in parts
    ]
    return json.dumps(
        {"schema": "nsys-walls/hardware/1", "peaks": "dense", "parts": rows}, indent=2
    )


def _cited(number: "Number") -> dict[str, float | str | bool | None]:
    return {
        "value": number.value,
        "source": number.source,
        "checked": number.checked.isoformat() if number.checked else None,
        "second_hand": number.second_hand,
    }
