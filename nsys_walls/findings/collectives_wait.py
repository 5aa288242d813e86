"""NW902: communication that no other kernel hides, and collectives that wait for a late rank.

Meaning:
    The time of a collective is not work: it is exchange, and waiting until the last rank has
    come. Three numbers tell what it costs:

    - exposed: during this part of communication no other kernel ran on the device. The rest is
      hidden, and costs nothing end to end.
    - waiting: what a collective took above the fastest rank of the same collective. That rank
      came last; what it took is the most that the exchange itself can have needed.
    - outliers: launches that took over ten times the median of their kernel.

    The rank that waits least is the late one. Whether it computes longer or is idle longer than
    the others says whether to level the work or to look at its host.

Evidence:
    Exposed is the union of all kernels of a device less the union of those that do not
    communicate, exactly; copies hide nothing. The n-th collective of a kernel on every rank is
    taken for the same one, so clocks of several machines do not matter. Communication must make
    up 0.5 % of kernel time, and what is reported 0.5 % of the busy time. Savings are upper
    bounds over the busy time of all ranks: all that is exposed; and for waiting, all of it that
    is exposed, which is what ranks would save that all came at the time of the average one.

Abstains:
    On exposed time where no launches are known; on waiting where a collective is known of one
    rank only, or where ranks launched it at different numbers. Outliers are reported still.

Try:
    Overlap communication with independent kernels on another stream, send fewer and larger
    messages, level the work of the ranks. To see waiting, trace all ranks and ingest their
    files together: `nsys-walls ingest rank*.sqlite`.
"""

from collections.abc import Iterator, Sequence
from statistics import fmean

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.late_rank import Waiting, computing_ns, spread_waiting, waiting_ns
from nsys_walls.roofline.listed import items, sentences
from nsys_walls.roofline.ranks import CollectiveTotal, SlowCollective
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent

_SMALL_RATIO = 0.005


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Look at what communication hides behind, and at what it waits for."""
    kernels = [kernel for kernel in analysis.kernels if kernel.wall == "communication"]
    time_ns = sum(kernel.time_ns for kernel in kernels)
    if time_ns <= _SMALL_RATIO * analysis.kernel_ns:
        return
    ranks = analysis.around.ranks
    if not ranks.exposed:
        reason = text("NW902.no_launches", time=duration(time_ns))
        yield Abstention(code=RULE.code, reason=reason)
        return
    yield from _exposed(analysis, kernels)
    known = [total for total in ranks.collectives if total.waiting_ns is not None]
    unknown = [total for total in ranks.collectives if total.waiting_ns is None]
    yield from _waiting(analysis, known)
    for total in unknown:
        if total.time_ns > _SMALL_RATIO * analysis.kernel_ns:
            yield Abstention(code=RULE.code, reason=_unknown(total))
        yield from _outliers(analysis, total)


def _exposed_ns(analysis: Analysis) -> int:
    return sum(row.exposed_ns for row in analysis.around.ranks.exposed)


def _is_large(analysis: Analysis, time_ns: float) -> bool:
    return time_ns > _SMALL_RATIO * analysis.busy_ns


def _exposed(analysis: Analysis, kernels: Sequence[KernelPoint]) -> Iterator[Finding]:
    """Report communication during which nothing else ran."""
    rows, exposed_ns = analysis.around.ranks.exposed, _exposed_ns(analysis)
    if not _is_large(analysis, exposed_ns):
        return
    time_ns, most = sum(row.time_ns for row in rows), max(rows, key=lambda row: row.exposed_ns)
    said = [
        text(
            "NW902.exposed",
            time=duration(time_ns),
            exposed=duration(exposed_ns),
            share=percent(exposed_ns / analysis.busy_ns),
        )
    ]
    if len(rows) > 1:
        said.append(text("NW902.device", device=most.device, exposed=duration(most.exposed_ns)))
    yield Finding(
        code=RULE.code,
        title=text("NW902.title_exposed"),
        message=sentences(said),
        advice=text("NW902.advice_exposed"),
        kernels=tuple(kernel.id for kernel in kernels),
        time_ratio=sum(kernel.time_ns for kernel in kernels) / analysis.kernel_ns,
        saving_ns=float(exposed_ns),
        speedup_bound=speedup_bound(analysis.busy_ns, exposed_ns),
        evidence={
            "busy_ns": analysis.busy_ns,
            "communication_ns": time_ns,
            "exposed_ns": exposed_ns,
            "hidden_ns": time_ns - exposed_ns,
        },
        key="exposed",
    )


def _waiting(analysis: Analysis, totals: Sequence[CollectiveTotal]) -> Iterator[Finding]:
    """Report how long ranks wait for each other, and for which."""
    waited_ns = sum(total.waiting_ns or 0 for total in totals)
    spread = spread_waiting(analysis.around.ranks.ranks)
    if spread is None or not _is_large(analysis, waited_ns):
        return
    time_ns = sum(total.time_ns for total in totals)
    saving_ns = float(min(waited_ns, _exposed_ns(analysis)))
    ranks, evidence = _between_ranks(spread)
    slow = [
        total.slow for total in totals if total.slow and _is_large(analysis, _excess_ns(total.slow))
    ]
    message = text(
        "NW902.waiting",
        time=duration(time_ns),
        waiting=duration(waited_ns),
        share=percent(waited_ns / time_ns),
        classes=items([_of_class(total) for total in totals]),
    )
    yield Finding(
        code=RULE.code,
        title=text("NW902.title_waiting"),
        message=sentences([message, *ranks, *(_slow(row) for row in slow)]),
        advice=text("NW902.advice_waiting"),
        kernels=tuple(sorted(kernel for total in totals for kernel in total.kernels)),
        time_ratio=time_ns / analysis.kernel_ns,
        saving_ns=saving_ns,
        speedup_bound=speedup_bound(analysis.busy_ns, saving_ns),
        evidence={
            "busy_ns": analysis.busy_ns,
            "communication_ns": time_ns,
            "waiting_ns": waited_ns,
            "exposed_ns": _exposed_ns(analysis),
            **evidence,
        },
        key="waiting",
    )


def _of_class(total: CollectiveTotal) -> Text:
    return text(
        "NW902.class",
        name=total.op_class,
        waiting=duration(total.waiting_ns or 0),
        time=duration(total.time_ns),
        ranks=total.ranks,
    )


def _between_ranks(spread: Waiting) -> tuple[list[Text], dict[str, float]]:
    """Name the rank that comes last, where there is one, with the numbers behind."""
    last = spread.last
    least_ns, most_ns = waiting_ns(last), waiting_ns(spread.first)
    values = {"least": duration(least_ns), "most": duration(most_ns)}
    evidence: dict[str, float] = {
        "least_waiting_rank": last.rank,
        "least_waiting_ns": least_ns,
        "most_waiting_rank": spread.first.rank,
        "most_waiting_ns": most_ns,
    }
    if not spread.is_one_late:
        return [text("NW902.no_late_rank", **values)], evidence
    return [
        text(
            "NW902.late_rank", rank=last.rank, device=last.device, early=spread.first.rank, **values
        ),
        text(
            "NW902.late_why",
            kernels=duration(computing_ns(last)),
            idle=duration(last.time.idle_ns),
            other_kernels=duration(fmean(computing_ns(rank) for rank in spread.others)),
            other_idle=duration(fmean(rank.time.idle_ns for rank in spread.others)),
        ),
    ], evidence


def _unknown(total: CollectiveTotal) -> Text:
    return text(
        "NW902.one_rank" if total.ranks == 1 else "NW902.unmatched",
        name=total.op_class,
        time=duration(total.time_ns),
    )


def _excess_ns(slow: SlowCollective) -> float:
    """Time of slow launches above what as many of the middle ones took, ns."""
    return slow.time_ns - slow.launches * slow.median_ns


def _slow(slow: SlowCollective) -> Text:
    return text(
        "NW902.outliers",
        kernel=slow.name,
        launches=slow.launches,
        of_launches=slow.of_launches,
        time=duration(slow.time_ns),
        of_time=duration(slow.of_time_ns),
        longest=duration(slow.max_ns),
        median=duration(slow.median_ns),
    )


def _outliers(analysis: Analysis, total: CollectiveTotal) -> Iterator[Finding]:
    """Report launches that took many times the median, where waiting is not known."""
    slow = total.slow
    if slow is None or not _is_large(analysis, _excess_ns(slow)):
        return
    saving_ns = min(_excess_ns(slow), float(_exposed_ns(analysis)))
    yield Finding(
        code=RULE.code,
        title=text("NW902.title_outliers"),
        message=_slow(slow),
        advice=text("NW902.advice_outliers"),
        kernels=slow.kernels,
        time_ratio=slow.time_ns / analysis.kernel_ns,
        saving_ns=saving_ns,
        speedup_bound=speedup_bound(analysis.busy_ns, saving_ns),
        evidence={
            "busy_ns": analysis.busy_ns,
            "slow_launches": slow.launches,
            "slow_ns": slow.time_ns,
            "median_ns": slow.median_ns,
            "longest_ns": slow.max_ns,
            "of_launches": slow.of_launches,
            "of_time_ns": slow.of_time_ns,
        },
        key=f"outliers {total.op_class}",
    )


RULE = Rule(code="NW902", name="collectives-wait", check=check)
