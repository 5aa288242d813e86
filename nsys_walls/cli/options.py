"""Options that several commands share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nsys_walls.errors import UsageError
from nsys_walls.units import parse_quantity, parse_ratio

if TYPE_CHECKING:
    from nsys_walls.roofline.walls import WallOptions

StoreOption = Annotated[
    Path,
    typer.Option("--store", envvar="NSYS_WALLS_STORE", help="Folder of stored runs."),
]
DEFAULT_STORE = Path(".nsys-walls")

OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="File, or - for stdout; default: reports/RUN.html."),
]
FormatOption = Annotated[str | None, typer.Option("--format", help="html, md, json, text or csv.")]

LanguageOption = Annotated[str, typer.Option("--lang", help="Language of the report: en or zh.")]
RedactOption = Annotated[
    bool, typer.Option("--redact-names", help="Replace NVTX, file and run names by numbers.")
]

HwOption = Annotated[
    str,
    typer.Option("--hw", help="GPU: an id or alias (`nsys-walls hw`), a TOML file, or auto."),
]
BandwidthOption = Annotated[
    str | None, typer.Option(help="Bandwidth wall, such as 2039GB/s, instead of the table's.")
]
PeakOption = Annotated[
    list[str] | None,
    typer.Option(help="Compute wall, such as fp16_tensor=312TFLOP/s; may be repeated."),
]
NearOption = Annotated[str, typer.Option(help="Part of a wall from which a kernel stands at it.")]
BalanceOption = Annotated[
    str, typer.Option(help="Practical balance point as a part of the theoretical one.")
]


def language_of(text: str) -> str:
    """Read the typed language.

    Raises:
        UsageError: There is no such language.
    """
    from nsys_walls.texts import LANGUAGES

    if text not in LANGUAGES:
        msg = f"--lang {text!r} is no language of reports; there are: {', '.join(LANGUAGES)}."
        raise UsageError("option-value", msg)
    return text


def wall_options(
    hw: str, bandwidth: str | None, peaks: list[str] | None, near: str, balance_factor: str
) -> "WallOptions":
    """Read the typed walls.

    Raises:
        UsageError: A value is not of its form.
    """
    from nsys_walls.roofline.walls import WallOptions

    try:
        return WallOptions(
            hw=hw,
            bandwidth_bytes_per_s=None if bandwidth is None else _wall(bandwidth, "B/s"),
            peak_flop_per_s=dict(map(_peak, peaks or ())),
            near_ratio=_threshold(near),
            balance_factor=_threshold(balance_factor),
        )
    except ValueError as error:
        msg = f"{error}."
        raise UsageError("option-value", msg) from error


def _wall(text: str, unit: str) -> float:
    value = parse_quantity(text, unit)
    if not value:
        msg = f"{text!r} is no wall: expected more than 0 {unit}"
        raise ValueError(msg)
    return value


def _peak(text: str) -> tuple[str, float]:
    precision, separator, value = text.partition("=")
    if not separator:
        msg = f"{text!r} has no '=': expected such as fp16_tensor=312TFLOP/s"
        raise ValueError(msg)
    return precision.strip(), _wall(value, "FLOP/s")


def _threshold(text: str) -> float:
    ratio = parse_ratio(text)
    if not 0 < ratio <= 1:
        msg = f"{text!r} is no part of a wall: expected more than 0 and at most 100%"
        raise ValueError(msg)
    return ratio


def warn(message: str, code: str) -> None:
    """Print a warning to stderr, on one line whatever names it holds."""
    from nsys_walls.reports.wording import printable

    typer.echo(f"warning: {printable(message)} [{code}]", err=True)
