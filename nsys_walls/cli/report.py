"""``nsys-walls report``: render a run against the walls of its GPU."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nsys_walls.cli.options import (
    DEFAULT_STORE,
    BalanceOption,
    BandwidthOption,
    HwOption,
    NearOption,
    PeakOption,
    StoreOption,
    wall_options,
    warn,
)
from nsys_walls.errors import UsageError

if TYPE_CHECKING:
    from nsys_walls.reports import Renderer, Report

_DEFAULT_FORMAT = "html"
_STDOUT = Path("-")


def report(  # noqa: PLR0913  # one parameter per documented option
    run: Annotated[str | None, typer.Argument(help="Run; default: the one ingested last.")] = None,
    *,
    hw: HwOption = "auto",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File, or - for stdout; default: reports/RUN.html."),
    ] = None,
    output_format: Annotated[
        str | None, typer.Option("--format", help="html, md, json, text or csv.")
    ] = None,
    bandwidth: BandwidthOption = None,
    peak: PeakOption = None,
    near: NearOption = "60%",
    balance_factor: BalanceOption = "50%",
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Show every kernel of RUN against both walls of its GPU."""
    from nsys_walls.reports.build import build_report
    from nsys_walls.store.dataset import open_run

    renderer = choose_renderer(output_format, output)
    stored = open_run(store, run)
    built = build_report(stored, wall_options(hw, bandwidth, peak, near, balance_factor))
    write_report(built, renderer, output)


def choose_renderer(output_format: str | None, output: Path | None) -> "Renderer":
    """Choose by ``--format``, else by the suffix of the output file, else HTML.

    Raises:
        UsageError: There is no such format.
    """
    from nsys_walls.reports import all_renderers

    renderers = all_renderers()
    if output_format is None:
        suffix = output.suffix.casefold() if output is not None else ""
        by_suffix = {renderer.suffix: renderer for renderer in renderers.values()}
        return by_suffix.get(suffix, renderers[_DEFAULT_FORMAT])
    if output_format not in renderers:
        msg = f"no format is called {output_format!r}; there are: {', '.join(sorted(renderers))}."
        raise UsageError("unknown-format-name", msg)
    return renderers[output_format]


def write_report(built: "Report", renderer: "Renderer", output: Path | None) -> None:
    """Write a report to its file, or to stdout; warnings go to stderr."""
    from nsys_walls.reports.wording import printable

    if output is not None and output.is_dir():
        msg = f"{output} is a folder, expected a file to write the report to."
        raise UsageError("output-folder", msg)
    text = renderer.render(built)
    for warning in built.document["warnings"]:
        warn(warning["message"], warning["code"])
    if output == _STDOUT:
        typer.echo(text, nl=False)
        return
    path = output or Path("reports") / f"{built.document['run']['name']}{renderer.suffix}"
    path.parent.mkdir(parents=True, exist_ok=True)
    # a report that could not be written whole must not replace the one before
    temporary = path.with_name(f".{path.name}.tmp")
    temporary.write_text(text, "utf-8", newline="")
    temporary.replace(path)
    typer.echo(printable(built.headline))
    typer.echo(printable(built.advice))
    typer.echo(f"report: {path}")
