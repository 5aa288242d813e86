"""NW501: the GPU is idle because launches, calls that block, or the host keep it waiting.

Meaning:
    Between two pieces of work nothing ran on the GPU. Faster kernels do not shorten such a gap.
    Gaps are told apart by what would remove them:

    - launches: the gap is longer than the kernels on both sides of it, and all that it waited
      for was a launch. CUDA graphs and fusion help.
    - calls that block: the host came back from a synchronisation, a copy or a memory call
      inside the gap, and only then launched. No graph can hold such a call: remove it.
    - launching calls that took longer than launches do: the first launch of a kernel loads its
      code, and a full queue makes the host wait.
    - the host itself, which did something else.
    - work that was launched long before and still did not start.

Evidence:
    Idle gaps of each device, with the API call of the work that ends them. Each kind must make
    up 1 % of the span, the time from the first to the last work of a device, summed over
    devices: busy, copying and idle together. A gap counts for a launch up to 100 µs where the
    host launched late, and up to 20 µs where the kernel was queued before. Savings are upper
    bounds: the whole of the gaps. For launches that is all gaps that a launch explains, also
    those beside long kernels, since one graph holds them all; a graph still needs about a
    microsecond between its kernels. End to end they are set against the span, since idle time
    is no part of the busy time.

Abstains:
    Where no launches are known, only sums or counters; and for gaps whose API calls are not in
    the trace.

Try:
    Capture the repeated step in a CUDA graph, or fuse small kernels. Move synchronisations,
    blocking copies and allocations out of the step. Leave start-up out with `--window`.
"""

from collections.abc import Iterator, Mapping, Sequence

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.listed import names, sentences
from nsys_walls.roofline.waits import WaitTotal
from nsys_walls.store.waits import LONGEST_LAUNCH_NS, LONGEST_START_NS
from nsys_walls.texts import Text, in_a_row, text
from nsys_walls.units import duration, percent

# Idle time differs by about as much between two runs of the same program.
_SMALL_RATIO = 0.01
# Of many API calls, the costliest say enough.
_NAMED = 3
_BLOCKING = frozenset({"sync", "copy", "memory"})
_LIMITS_NS = {"host": LONGEST_LAUNCH_NS, "call": LONGEST_LAUNCH_NS, "queued": LONGEST_START_NS}


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Look at what the GPUs waited for."""
    span_ns = analysis.span_ns
    if not span_ns:
        if analysis.kernels:
            yield Abstention(code=RULE.code, reason=text("NW501.no_launches"))
        return
    for total in analysis.around.waits.totals:
        wait = total.wait
        if wait.waits_for == "launch":
            yield from _launches(analysis, total, span_ns)
        elif wait.time_ns < _SMALL_RATIO * span_ns:
            continue
        elif wait.waits_for == "unknown":
            reason = text(
                "NW501.no_calls",
                time=duration(wait.time_ns),
                share=percent(wait.time_ns / span_ns),
                gaps=wait.gaps,
            )
            yield Abstention(code=RULE.code, reason=reason)
        else:
            yield _waiting(analysis, total, span_ns)


def _launches(analysis: Analysis, total: WaitTotal, span_ns: int) -> Iterator[Finding]:
    """Report launches that take longer than their kernels, where there are enough of them."""
    found, wait = analysis.around.waits.stretches, total.wait
    if found.time_ns < _SMALL_RATIO * span_ns:
        return
    message = text(
        "NW501.launches",
        gaps=found.gaps,
        stretches=found.stretches,
        time=duration(found.time_ns),
        share=percent(found.time_ns / span_ns),
        kernels=duration(found.kernel_ns),
        all_gaps=wait.gaps,
        all_time=duration(wait.time_ns),
    )
    heaviest = sorted(total.kernels, key=lambda kernel: -total.kernels[kernel])
    named = names([analysis.kernels[kernel] for kernel in heaviest])
    before = [text("NW501.kernels", names=named)] if heaviest else []
    yield _finding(
        analysis,
        total,
        [message, *before, *_place(analysis, total)],
        evidence={
            "longer_gaps": found.gaps,
            "longer_gaps_ns": found.time_ns,
            "kernels_after_longer_gaps_ns": found.kernel_ns,
            "stretches": found.stretches,
        },
    )


def _waiting(analysis: Analysis, total: WaitTotal, span_ns: int) -> Finding:
    """Report a wait that no graph would shorten."""
    wait = total.wait
    blocked = wait.waits_for in _BLOCKING
    said = [
        text(
            "NW501.blocked" if blocked else f"NW501.{wait.waits_for}",
            time=duration(wait.time_ns),
            share=percent(wait.time_ns / span_ns),
            gaps=wait.gaps,
            median=duration(wait.median_ns),
            longest=duration(wait.longest_ns),
            calls=in_a_row("listed.either", total.calls[:_NAMED]) if total.calls else "",
            limit=duration(_LIMITS_NS.get(wait.waits_for, 0)),
        )
    ]
    if blocked:
        said.append(text(f"NW501.{'inside' if 2 * wait.in_call_ns > wait.time_ns else 'behind'}"))
    return _finding(analysis, total, [*said, *_place(analysis, total)], evidence={})


def _finding(
    analysis: Analysis, total: WaitTotal, said: Sequence[Text], *, evidence: Mapping[str, float]
) -> Finding:
    """Make a finding whose saving is all of a wait."""
    wait, span_ns = total.wait, analysis.span_ns or 0
    launches_ns = sum(total.kernels.values())
    return Finding(
        code=RULE.code,
        title=text(f"NW501.title_{wait.waits_for}"),
        message=sentences(said),
        advice=text(f"NW501.advice_{wait.waits_for}"),
        kernels=tuple(total.kernels),
        time_ratio=launches_ns / analysis.kernel_ns if analysis.kernel_ns else 0.0,
        saving_ns=float(wait.time_ns),
        # idle time is a part of the span, not of the busy time
        speedup_bound=speedup_bound(span_ns, wait.time_ns),
        evidence={
            "span_ns": span_ns,
            "gaps": wait.gaps,
            "time_ns": wait.time_ns,
            "median_ns": wait.median_ns,
            "longest_ns": wait.longest_ns,
            "launches_after_them_ns": launches_ns,
            "calls": ", ".join(total.calls) or None,
            "in_range_ns": total.place.time_ns if total.place else None,
            **evidence,
        },
        key=wait.waits_for,
    )


def _place(analysis: Analysis, total: WaitTotal) -> list[Text]:
    """Name the range with most of a wait, if it is in the report's own table."""
    place = total.place
    if place is None or all(row.name != place.name for row in analysis.ranges.by_name):
        return []
    return [text("NW501.place", range=place.name)]


RULE = Rule(code="NW501", name="launch-bound-stretches", check=check)
