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
    float, typer.Option(help="Practical balance point as a part of the theoretical one.")
]


def wall_options(
    hw: str, bandwidth: str | None, peaks: list[str] | None, near: str, balance_factor: float
) -> "WallOptions":
    """Read the typed walls.

    Raises:
        UsageError: A value is not of its form.
    """
    from nsys_walls.roofline.walls import WallOptions

    try:
        near_ratio = parse_ratio(near)
        bandwidth_bytes_per_s = None if bandwidth is None else parse_quantity(bandwidth, "B/s")
        peak_flop_per_s = {}
        for peak in peaks or ():
            precision, separator, value = peak.partition("=")
            if not separator:
                msg = f"{peak!r} has no '=': expected such as fp16_tensor=312TFLOP/s"
                raise UsageError("option-value", msg)  # one place makes the error
            peak_flop_per_s[precision.strip()] = parse_quantity(value, "FLOP/s")
    except ValueError as error:
        msg = f"{error}."
        raise UsageError("option-value", msg) from error
    return WallOptions(
        hw=hw,
        bandwidth_bytes_per_s=bandwidth_bytes_per_s,
        peak_flop_per_s=peak_flop_per_s,
        near_ratio=near_ratio,
        balance_factor=balance_factor,
    )


def warn(message: str, code: str) -> None:
    """Print a warning to stderr, on one line whatever names it holds."""
    from nsys_walls.reports.wording import printable

    typer.echo(f"warning: {printable(message)} [{code}]", err=True)
