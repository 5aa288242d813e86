"""``nsys-walls demo``: a complete first report without any input of one's own."""

import tempfile
from importlib.resources import files
from pathlib import Path

from nsys_walls.cli.options import FormatOption, OutputOption
from nsys_walls.cli.report import choose_renderer, write_report

_RUN = "bert-base-t4"


def demo(
    *,
    output: OutputOption = None,
    output_format: FormatOption = None,
) -> None:
    """Report a generated run: BERT-base on a T4, where small kernels outweigh the GEMMs."""
    from nsys_walls.ingest import ingest_files
    from nsys_walls.reports.build import build_report
    from nsys_walls.roofline.walls import WallOptions
    from nsys_walls.store.dataset import open_run

    renderer = choose_renderer(output_format, output)
    inputs = sorted(
        path for path in demo_folder().iterdir() if path.name.endswith((".sqlite", ".csv", ".gz"))
    )
    with tempfile.TemporaryDirectory(prefix="nsys-walls-") as folder:
        ingest_files(inputs, store=Path(folder), run=_RUN)
        built = build_report(open_run(Path(folder), _RUN), WallOptions())
    write_report(built, renderer, output)


def demo_folder() -> Path:
    """Find the generated run: in the wheel's data, or where it lies in a checkout."""
    package = Path(str(files("nsys_walls")))
    shipped = package / "data" / "demo"
    return shipped if shipped.is_dir() else package.parent / "fixtures" / _RUN
