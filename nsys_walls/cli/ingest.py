"""``nsys-walls ingest``: read profiler outputs into the store as one run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nsys_walls.cli.options import DEFAULT_STORE, StoreOption, warn

if TYPE_CHECKING:
    from nsys_walls.sources import Progress
    from nsys_walls.store.manifest import Manifest


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Traces and counters, in any order.")],
    *,
    run: Annotated[
        str | None, typer.Option(help="Run to make or to add to; default: the first trace's name.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
    jobs: Annotated[int, typer.Option(min=1, help="Threads that read a file at once.")] = 2,
    force: Annotated[bool, typer.Option("--force", help="Replace the run.")] = False,
) -> None:
    """Read nsys exports and ncu CSVs into the store as one run.

    The format is found by content. Counters may come later: add them with --run.
    """
    from nsys_walls.ingest import ingest_files

    if sys.stderr.isatty():
        manifest = _with_bars(paths, store=store, run=run, force=force, jobs=jobs)
    else:
        manifest = ingest_files(paths, store=store, run=run, force=force, jobs=jobs)
    # "." has no name of its own
    _tell(
        manifest,
        {(path.resolve() if path.name in {"", ".."} else path).name for path in paths},
    )


def _with_bars(
    paths: list[Path], *, store: Path, run: str | None, force: bool, jobs: int
) -> "Manifest":
    from rich.console import Console
    from rich.progress import Progress as Bars

    from nsys_walls.ingest import ingest_files

    with Bars(console=Console(stderr=True), transient=True) as bars:

        def progress_of(path: Path) -> "Progress":
            task = bars.add_task(path.name, total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        return ingest_files(
            paths, store=store, run=run, force=force, jobs=jobs, progress_of=progress_of
        )


def _tell(manifest: "Manifest", files: set[str]) -> None:
    from nsys_walls.reports.wording import printable

    for source in manifest.sources:
        if source.file not in files:
            continue
        skipped = ", ".join(f"{rows:,} {reason}" for reason, rows in source.skipped.items())
        left_out = f"; left out: {skipped}" if skipped else ""
        typer.echo(f"{printable(source.file)}: {source.kind}, {source.rows:,} rows{left_out}")
        for notice in source.warnings:
            warn(notice.message, notice.code)
    typer.echo(f"run {manifest.run}: report it with `nsys-walls report {manifest.run}`")
