"""``nsys-walls runs``: list stored runs, or remove some."""

from pathlib import Path
from typing import Annotated

import typer

from nsys_walls.cli.options import DEFAULT_STORE, StoreOption


def runs(
    *,
    remove: Annotated[
        list[str] | None, typer.Option(help="Remove this run; may be repeated.")
    ] = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """List stored runs with their sources, or remove some."""
    from nsys_walls.store.dataset import remove_run

    for name in remove or ():
        remove_run(store, name)
        typer.echo(f"removed {name}")
    if not remove:
        _list(store)


def _list(store: Path) -> None:
    from nsys_walls.errors import InputError
    from nsys_walls.reports.wording import printable
    from nsys_walls.store.dataset import open_run, run_names

    names = run_names(store)
    if not names:
        typer.echo(f"no run is stored in {store}")
    for name in names:
        try:
            sources = open_run(store, name).manifest.sources
        except InputError as error:
            typer.echo(f"{name}: {printable(str(error))}")
            continue
        typer.echo(name)
        for source in sources:
            version = f", {source.product_version}" if source.product_version else ""
            typer.echo(f"  {printable(source.file)}: {source.kind}{version}, {source.rows:,} rows")
