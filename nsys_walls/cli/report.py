"""``nsys-walls report``: render a run against the walls of its GPU."""

import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nsys_walls.cli.colour import coloured, wants_colour
from nsys_walls.cli.filters import (
    DeviceOption,
    KernelOption,
    NvtxOption,
    StreamOption,
    WindowOption,
    selection_of,
)
from nsys_walls.cli.options import (
    DEFAULT_STORE,
    BalanceOption,
    BandwidthOption,
    FormatOption,
    HwOption,
    LanguageOption,
    NearOption,
    OutputOption,
    PeakOption,
    RedactOption,
    StoreOption,
    language_of,
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
    output: OutputOption = None,
    output_format: FormatOption = None,
    bandwidth: BandwidthOption = None,
    peak: PeakOption = None,
    near: NearOption = "60%",
    balance_factor: BalanceOption = "50%",
    nvtx: NvtxOption = None,
    window: WindowOption = None,
    device: DeviceOption = None,
    stream: StreamOption = None,
    kernel: KernelOption = None,
    lang: LanguageOption = "en",
    redact_names: RedactOption = False,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Show every kernel of RUN, or of a part of it, against both walls of its GPU."""
    from nsys_walls.reports.build import build_report
    from nsys_walls.store.dataset import open_run

    renderer = choose_renderer(output_format, output)
    stored = open_run(store, run)
    walls = wall_options(hw, bandwidth, peak, near, balance_factor)
    selection = selection_of(nvtx, window, device, stream, kernel)
    language = language_of(lang)
    built = build_report(stored, walls, selection, language, redact_names=redact_names)
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
    """Write a report to its file, or to stdout; warnings go to stderr.

    A file and a pipe get names as they are; on a terminal a name must not give commands to it.
    """
    from nsys_walls.reports.wording import printable, visible

    on_terminal = output == _STDOUT and sys.stdout.isatty()
    text = renderer.render(visible(built) if on_terminal else built)
    for warning in built.document["warnings"]:
        warn(warning["message"], warning["code"])
    if output == _STDOUT:
        if renderer.name == "text" and wants_colour():
            text = coloured(text, built.language)
        # typer would strip what colour there is where it finds no terminal
        typer.echo(text, nl=False, color=True)
        return
    path = output or Path("reports") / f"{built.document['run']['name']}{renderer.suffix}"
    write_whole(path, text)
    typer.echo(printable(built.headline))
    typer.echo(printable(built.advice))
    typer.echo(f"report: {printable(str(path))}")


def write_whole(path: Path, text: str) -> None:
    """Write a file at once: a report that could not be written must not replace the one before.

    What is no ordinary file (a pipe, a device) is written to and never replaced; of a link, the
    file that it leads to is.

    Raises:
        UsageError: The path is a folder.
    """
    if path.is_dir():
        msg = f"{path} is a folder, expected a file to write the report to."
        raise UsageError("output-folder", msg)
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_text(text, "utf-8", newline="")
        return
    target = path.resolve()
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=target.parent, prefix=".nsys-walls-", delete=False
    ) as file:
        temporary = Path(file.name)
        try:
            file.write(text)
            file.flush()
            # a temporary file is private; a report has the rights of any new file
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(target)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
