"""``nsys-walls plan``: which ncu commands would measure what is not measured yet."""

from typing import Annotated

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
    KernelOption,
    NvtxOption,
    StreamOption,
    WindowOption,
    selection_of,
)
from nsys_walls.cli.options import DEFAULT_STORE, HwOption, StoreOption, warn
from nsys_walls.errors import UsageError
from nsys_walls.units import parse_ratio


def plan(  # noqa: PLR0913  # one parameter per documented option
    run: Annotated[str | None, typer.Argument(help="Run; default: the one ingested last.")] = None,
    *,
    cover: Annotated[
        str, typer.Option(help="Share of kernel time that is to have bytes and FLOP.")
    ] = "95%",
    hw: HwOption = "auto",
    output: AnswerOutputOption = STDOUT,
    output_format: AnswerFormatOption = "text",
    nvtx: NvtxOption = None,
    window: WindowOption = None,
    device: DeviceOption = None,
    stream: StreamOption = None,
    kernel: KernelOption = None,
    store: StoreOption = DEFAULT_STORE,
) -> None:
    """Print the ncu commands that measure the kernels of RUN without counters.

    They are lines for a shell, heaviest kernels first; what to know stands in comments. Put
    your program in the place of PROGRAM ARGS...; the traced command line is not kept.
    """
    from nsys_walls.plan import make_plan
    from nsys_walls.plan.document import plan_document
    from nsys_walls.plan.script import plan_lines
    from nsys_walls.roofline.analysis import analyse
    from nsys_walls.roofline.walls import WallOptions
    from nsys_walls.store.dataset import open_run

    as_json, share = is_json(output_format), _share(cover)
    selection = selection_of(nvtx, window, device, stream, kernel)
    analysis = analyse(open_run(store, run), WallOptions(hw=hw), selection)
    made = make_plan(analysis, cover=share)
    for notice in dict.fromkeys(analysis.warnings):
        warn(notice.message, notice.code)
    if as_json:
        write_json(plan_document(made), output)
    else:
        write_lines(plan_lines(made), output)


def _share(text: str) -> float:
    try:
        share = parse_ratio(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        msg = f"--cover {text!r} is no share: expected more than 0 and at most 100%."
        raise UsageError("option-value", msg)
    return share
