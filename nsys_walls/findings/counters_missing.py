"""NW801: part of the time has no counters, or weak ones.

Meaning:
    Without bytes and FLOP nothing is claimed of a kernel: it has no wall, no floor and no saving.
    What other findings say is about the rest. Where more than half of the time is without, profile
    first. Weak counters are used, and said to be weak: FLOP that are a lower bound, since the
    counters of a precision were not collected, or an estimate from tensor instructions.

Evidence:
    Kernels without counters; kernels whose counters fit several kernels or shapes, so that they
    are shown and not used; kernels whose counters lack bytes or FLOP. Collectives do not count:
    they wait for their partners, so that no counter run can measure them.

Abstains:
    Never.

Try:
    `nsys-walls plan RUN` prints the ncu commands that measure the heaviest of them, one launch of
    each kernel and shape; `nsys-walls ingest --run RUN` adds the CSVs that they write.
"""

from collections.abc import Iterator, Mapping, Sequence

from nsys_walls.findings import Finding, Rule
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.coverage import SMALLEST_RATIO
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.listed import items, names, sentences, some
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent

_Groups = Mapping[str, Sequence[KernelPoint]]

_LACKING = ("none", "ambiguous", "partial")
_WEAK = ("lower_bound", "estimate")


def check(analysis: Analysis) -> Iterator[Finding]:
    """Add up the time of kernels whose counters are missing or weak."""
    computing = [
        row for row in analysis.kernels if row.time_ns and not row.kernel_class.is_communication
    ]
    groups: dict[str, list[KernelPoint]] = {}
    for kernel in computing:
        groups.setdefault(_kind(kernel), []).append(kernel)
    lacking, weak = _chosen(groups, _LACKING), _chosen(groups, _WEAK)
    smallest_ns = SMALLEST_RATIO * analysis.kernel_ns
    if lacking and _time_ns(lacking) >= smallest_ns:
        yield _lacking(analysis, lacking, weak)
    elif weak and _time_ns(weak) >= smallest_ns:
        yield _weak(analysis, weak)


def _kind(kernel: KernelPoint) -> str:
    if kernel.match.level in {"none", "ambiguous"}:
        return kernel.match.level
    if not kernel.is_measured:
        return "partial"
    return kernel.work.flop_is or "exact"


def _chosen(groups: _Groups, kinds: Sequence[str]) -> _Groups:
    return {kind: groups[kind] for kind in kinds if kind in groups}


def _time_ns(groups: _Groups) -> int:
    return sum(kernel.time_ns for kernels in groups.values() for kernel in kernels)


def _heaviest_first(groups: _Groups) -> list[KernelPoint]:
    return sorted(
        (kernel for kernels in groups.values() for kernel in kernels), key=lambda row: row.id
    )


def _lacking(analysis: Analysis, lacking: _Groups, weak: _Groups) -> Finding:
    kernels, time_ns = _heaviest_first(lacking), _time_ns(lacking)
    share = percent(time_ns / analysis.kernel_ns)
    parts = [
        text("NW801.message", time=duration(time_ns), share=share, names=names(kernels)),
        *(_kinds(analysis, lacking) if set(lacking) != {"none"} else ()),
        *(_weakness(analysis, weak) if weak else ()),
    ]
    return Finding(
        code=RULE.code,
        title=text("NW801.title", share=share),
        message=sentences(parts),
        advice=text("NW801.advice", command=f"nsys-walls plan {analysis.manifest.run}"),
        kernels=tuple(kernel.id for kernel in kernels),
        time_ratio=time_ns / analysis.kernel_ns,
        evidence=_evidence({**lacking, **weak}),
    )


def _kinds(analysis: Analysis, lacking: _Groups) -> Iterator[Text]:
    """Say what is wrong with how much of it."""
    shares = [
        text(f"NW801.{kind}", share=percent(_time_ns({kind: rows}) / analysis.kernel_ns))
        for kind, rows in lacking.items()
    ]
    yield text("NW801.kinds", kinds=items(shares))


def _weakness(analysis: Analysis, weak: _Groups) -> Iterator[Text]:
    """Say of how much of the time FLOP are not exact, and which precisions were left out."""
    for kind, rows in weak.items():
        share = percent(_time_ns({kind: rows}) / analysis.kernel_ns)
        left_out = dict.fromkeys(name for row in rows for name in row.work.not_collected)
        if left_out and kind == "lower_bound":
            yield text("NW801.lower_bound_without", share=share, precisions=some(list(left_out)))
        else:
            yield text(f"NW801.{kind}", share=share)


def _weak(analysis: Analysis, weak: _Groups) -> Finding:
    kernels, time_ratio = _heaviest_first(weak), _time_ns(weak) / analysis.kernel_ns
    return Finding(
        code=RULE.code,
        title=text("NW801.title_weak", share=percent(time_ratio)),
        message=sentences(
            [*_weakness(analysis, weak), text("NW801.heaviest", names=names(kernels))]
        ),
        advice=text("NW801.advice_weak"),
        kernels=tuple(kernel.id for kernel in kernels),
        time_ratio=time_ratio,
        evidence=_evidence(weak),
    )


def _evidence(groups: _Groups) -> dict[str, float | str | None]:
    return {f"{kind}_time_ns": _time_ns({kind: rows}) for kind, rows in groups.items()}


RULE = Rule(code="NW801", name="counters-missing", check=check)
