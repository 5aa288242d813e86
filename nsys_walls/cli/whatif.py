"""``nsys-walls whatif``: what faster kernels would be worth over the whole run, at most."""

from typing import TYPE_CHECKING, Annotated

import typer

from nsys_walls.cli.answers import (
    STDOUT,
    AnswerFormatOption,
    AnswerOutputOption,
    is_json,
    write_json,
    write_lines,
)
from nsys_walls.cli.filters import (
    DeviceOption,
    NvtxOption,
    StreamOption,
    WindowOption,
    selection_of,
)
from nsys_walls.cli.options import (
    DEFAULT_STORE,
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
    from collections.abc import Mapping

    from nsys_walls.whatif.changes import Change, Subject


def whatif(  # noqa: PLR0913  # one parameter per documented option
    run: Annotated[str | None, typer.Argument(help="Run; default: the one ingested last.")] = None,
    *,
    op_class: Annotated[
        list[str] | None,
        typer.Option(
            "--class", help="Kernels of a class reach a share of their wall: gemm=85%; or =2x."
        ),
    ] = None,
    kernel: Annotated[
        list[str] | None,
        typer.Option(help="Kernels whose name matches run faster: REGEX=2x; or =85%."),
    ] = None,
    wall: Annotated[
        list[str] | None,
        typer.Option(help="Kernels that stand at a wall reach a share of it: bandwidth=100%."),
    ] = None,
    fuse: Annotated[
        list[str] | None, typer.Option(help="Fuse a chain of kernels, by its id in the report.")
    ] = None,
    hw: HwOption = "auto",
    bandwidth: BandwidthOption = None,
    peak: PeakOption = None,
    near: NearOption = "60%",
    output: AnswerOutputOption = STDOUT,
    output_format: AnswerFormatOption = "text",
    nvtx: NvtxOption = None,
    window: WindowOption = None,
    device: DeviceOption = None,
    stream: StreamOption = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Print what faster kernels would save over the whole of RUN, or of a part of it, at most.

    All changes may be repeated. Where several meet one kernel, the fastest counts.
    """
    from nsys_walls.findings import find_all
    from nsys_walls.roofline.analysis import analyse
    from nsys_walls.roofline.notices import analysis_notices
    from nsys_walls.store.dataset import open_run
    from nsys_walls.whatif import suppose
    from nsys_walls.whatif.chains import chains_of
    from nsys_walls.whatif.document import whatif_document
    from nsys_walls.whatif.text import whatif_lines

    as_json = is_json(output_format)
    changes = _changes({"class": op_class, "kernel": kernel, "wall": wall})
    if not changes and not fuse:
        msg = "nothing is supposed: give --class, --kernel, --wall or --fuse (see --help)."
        raise UsageError("no-change", msg)
    stored = open_run(store, run)
    walls = wall_options(hw, bandwidth, peak, near, "50%")
    analysis = analyse(stored, walls, selection_of(nvtx, window, device, stream, kernel=None))
    chains = chains_of(find_all(analysis).found) if fuse else {}
    answer = suppose(analysis, changes, chains=chains, fused=fuse or ())
    for notice in analysis_notices(analysis):
        warn(notice.message, notice.code)
    name = stored.manifest.run
    if as_json:
        write_json(whatif_document(answer, name), output)
    else:
        write_lines(whatif_lines(answer, name), output)


def _changes(typed: "Mapping[Subject, list[str] | None]") -> "list[Change]":
    """Read the changes that were typed, by the option that each came with."""
    from nsys_walls.whatif.changes import parse_change

    return [parse_change(option, text) for option, texts in typed.items() for text in texts or ()]
