"""NW201: kernels that only copy, cast or re-order data take time and compute nothing.

Meaning:
    Copies, casts, transposes and concatenations read a tensor and write it again in another form.
    Single ones are cheap and easy to overlook; repeated in every step or for every token, such as
    a reshape of the whole KV cache, they are traffic that a better layout does not have.

Evidence:
    Kernels whose name says so and whose FLOP are at most one for every 10 bytes; where FLOP were
    not counted, that is said. Bytes are those that ncu counted, reads and writes. A step is what
    comes again and again with the same number of launches in it: NVTX ranges of one name (but for
    numbers in it) that hold other work too, the outermost ones first, else a fixed distance on the
    stream. One way is what was written, or half of the bytes where only their sum was counted. The
    saving is all of the time of these kernels: no layout change could save more.

    Copies within a GPU (cudaMemcpy from device to device) are a finding of their own: they move
    their bytes twice. Their time, in which copies at once count once, is set against the span, from
    the first to the last work of a device. What no kernel and no CUDA graph hides is the saving.

Abstains:
    Where such kernels take 0.5 % of kernel time or more and their bytes are not known.

Try:
    Write data in the layout that the next kernel reads: append to the KV cache in the order that
    attention wants, use channels-last throughout, let a GEMM read its operand transposed. Leave
    out `.contiguous()` and casts there and back.
"""

from collections.abc import Iterator, Sequence

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.coverage import SMALLEST_RATIO
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.layout import (
    CopyTraffic,
    Traffic,
    copy_traffic,
    is_layout,
    traffic_of,
)
from nsys_walls.roofline.listed import sentences
from nsys_walls.roofline.savings import saving_of
from nsys_walls.store.recurrence import Recurrence
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent, si, three_digits

_MEBIBYTE = 2**20
_HUNDRED = 100


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Sum the kernels that only move data, then the copies within GPUs."""
    kernels = [kernel for kernel in analysis.kernels if kernel.time_ns and is_layout(kernel)]
    counted = [(kernel, traffic) for kernel in kernels if (traffic := traffic_of(kernel))]
    counted_ns = sum(kernel.time_ns for kernel, _ in counted)
    unknown_ns = sum(kernel.time_ns for kernel in kernels) - counted_ns
    if counted_ns and counted_ns >= SMALLEST_RATIO * analysis.kernel_ns:
        yield _moving(analysis, counted, counted_ns)
    if unknown_ns and unknown_ns >= SMALLEST_RATIO * analysis.kernel_ns:
        share = percent(unknown_ns / analysis.kernel_ns)
        yield Abstention(code=RULE.code, reason=text("NW201.no_bytes", share=share))
    times = {row.walls.facts.device: row.time for row in analysis.devices if row.time}
    copies, span_ns = copy_traffic(analysis.around.copies, times), analysis.span_ns
    if copies and span_ns and copies.union_ns >= SMALLEST_RATIO * span_ns:
        yield _copying(analysis, copies, span_ns)


def _moving(
    analysis: Analysis, counted: Sequence[tuple[KernelPoint, Traffic]], time_ns: int
) -> Finding:
    kernels = [kernel for kernel, _ in counted]
    moved = sum(traffic.bytes * kernel.times.launches for kernel, traffic in counted)
    wall_ns = sum(traffic.wall_ns * kernel.times.launches for kernel, traffic in counted)
    parts = [
        text(
            "NW201.message",
            kernels=len(counted),
            time=duration(time_ns),
            share=percent(time_ns / analysis.kernel_ns),
            bytes=si(moved, "B"),
            wall=duration(wall_ns),
        )
    ]
    unknown = sum(kernel.work.flop is None for kernel in kernels)
    if unknown:
        parts.append(text("NW201.no_flop", kernels=unknown))
    heaviest, traffic = counted[0]
    recurrence = analysis.around.layout.kernels.get(heaviest.id)
    parts += _repeated(heaviest, traffic, recurrence)
    saving_ns = saving_of(analysis, {kernel.id: float(kernel.time_ns) for kernel in kernels})
    return Finding(
        code=RULE.code,
        title=text("NW201.title", share=percent(time_ns / analysis.kernel_ns)),
        message=sentences(parts),
        advice=text("NW201.advice"),
        kernels=tuple(kernel.id for kernel in kernels),
        time_ratio=time_ns / analysis.kernel_ns,
        saving_ns=saving_ns,
        speedup_bound=speedup_bound(analysis.busy_ns, saving_ns),
        evidence={
            "layout_time_ns": time_ns,
            "layout_bytes": moved,
            "layout_at_wall_ns": wall_ns,
            **_evidence(traffic, recurrence),
        },
        key="kernels",
    )


def _repeated(
    kernel: KernelPoint, traffic: Traffic, recurrence: Recurrence | None
) -> Iterator[Text]:
    """Say what the heaviest kernel moves, each time and in each step."""
    yield text(
        "NW201.heaviest" if traffic.one_way_bytes else "NW201.heaviest_in_l2",
        kernel=kernel.name,
        launches=kernel.times.launches,
        bytes=si(traffic.bytes, "B"),
        one_way=_size(traffic.one_way_bytes),
    )
    if recurrence is None:
        return
    yield _recurring(recurrence)
    per_100 = _HUNDRED * recurrence.per_step
    yield text(
        "NW201.per_step",
        bytes=si(traffic.bytes * recurrence.per_step, "B"),
        hundred=si(traffic.bytes * per_100, "B"),
        wall=duration(traffic.wall_ns * per_100),
        one_way=duration(traffic.one_way_ns * per_100),
    )


def _recurring(recurrence: Recurrence) -> Text:
    if recurrence.range is None:
        return text("NW201.per_launches", distance=recurrence.distance or 0, times=recurrence.steps)
    where: dict[str, str | int] = {"range": recurrence.range, "steps": recurrence.steps}
    if recurrence.per_step == 1:
        return text("NW201.once_per_range", **where)
    return text("NW201.per_range", times=recurrence.per_step, **where)


def _size(size_bytes: float) -> str:
    """Write bytes, and beside them the binary unit that tensor sizes are round in."""
    if size_bytes < _MEBIBYTE:
        return si(size_bytes, "B")
    return f"{si(size_bytes, 'B')} ({three_digits(size_bytes / _MEBIBYTE)} MiB)"


def _evidence(traffic: Traffic, recurrence: Recurrence | None) -> dict[str, float | str | None]:
    """List the numbers of the heaviest kernel."""
    numbers: dict[str, float | str | None] = {
        "heaviest_bytes": traffic.bytes,
        "heaviest_one_way_bytes": traffic.one_way_bytes,
    }
    if recurrence is None:
        return numbers
    per_100 = _HUNDRED * recurrence.per_step
    return numbers | {
        **_step(recurrence),
        "steps": recurrence.steps,
        "launches_per_step": recurrence.per_step,
        "bytes_per_step": traffic.bytes * recurrence.per_step,
        "bytes_per_100_steps": traffic.bytes * per_100,
        "at_wall_ns_per_100_steps": traffic.wall_ns * per_100,
        "one_way_at_wall_ns_per_100_steps": traffic.one_way_ns * per_100,
    }


def _step(recurrence: Recurrence | None) -> dict[str, float | str | None]:
    """Say what a step is: a range, or so many launches."""
    evidence: dict[str, float | str | None] = {"step": recurrence.range if recurrence else None}
    if recurrence and recurrence.distance is not None:
        evidence["step_launches"] = recurrence.distance
    return evidence


def _copying(analysis: Analysis, copies: CopyTraffic, span_ns: int) -> Finding:
    recurrence, share = analysis.around.layout.copies, percent(copies.union_ns / span_ns)
    time = duration(copies.union_ns)
    parts = [text("NW201.copies", copies=copies.copies, time=time, share=share)]
    if copies.union_ns < copies.time_ns:
        parts.append(text("NW201.copies_at_once", time=duration(copies.time_ns)))
    if copies.exposed_ns is not None:
        parts.append(
            text("NW201.copies_exposed", exposed=duration(copies.exposed_ns))
            if copies.exposed_ns
            else text("NW201.copies_hidden")
        )
    if copies.bytes is not None:
        parts.append(
            text(
                "NW201.copied",
                bytes=si(copies.bytes, "B"),
                each=_size(copies.bytes / copies.copies),
                moved=si(2 * copies.bytes, "B"),
            )
        )
    if copies.wall_ns is not None:
        parts.append(text("NW201.copies_at_wall", wall=duration(copies.wall_ns)))
    if recurrence is not None:
        parts.append(_recurring(recurrence))
    saving_ns = None if copies.exposed_ns is None else float(copies.exposed_ns)
    return Finding(
        code=RULE.code,
        title=text("NW201.title_copies", share=share),
        message=sentences(parts),
        advice=text("NW201.advice_copies"),
        kernels=(),
        time_ratio=0.0,
        saving_ns=saving_ns,
        # no kernel runs meanwhile: it is a part of the span, not of the busy time
        speedup_bound=None if saving_ns is None else speedup_bound(span_ns, saving_ns),
        evidence={
            "copies": copies.copies,
            "copy_time_ns": copies.time_ns,
            "copy_union_ns": copies.union_ns,
            "copied_bytes": copies.bytes,
            "moved_bytes": None if copies.bytes is None else 2 * copies.bytes,
            "copies_at_wall_ns": copies.wall_ns,
            "exposed_ns": copies.exposed_ns,
            "span_ns": span_ns,
            **_step(recurrence),
            "copies_per_step": recurrence.per_step if recurrence else None,
        },
        key="copies",
    )


RULE = Rule(code="NW201", name="layout-traffic", check=check)
