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
    each kernel and shape; `nsys-walls ingest --run RUN` adds the CSVs that they write. Kernels
    whose counters are only weak are not in it, since their bytes and FLOP are known: this finding
    names the counters that would make their FLOP exact.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from nsys_walls.counters.table import TENSOR_PREFIX, UNITS, load_table, recommended_metrics
from nsys_walls.findings import Finding, Rule, command
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.coverage import SMALLEST_RATIO
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.listed import items, names, sentences, some
from nsys_walls.roofline.walls import DeviceWalls, WallOptions
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent

_Groups = Mapping[str, Sequence[KernelPoint]]

_LACKING = ("none", "ambiguous", "partial")
_WEAK = ("lower_bound", "estimate")

# What `nsys-walls plan` covers unless it is told otherwise: beyond that it has nothing to list.
_PLANNED_RATIO = 0.95

# Tensor operations have a counter for every pair of types; more than these say less than a pattern.
_NAMED = 3


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
        advice=text("NW801.advice", command=_plan(analysis, time_ns)),
        kernels=tuple(kernel.id for kernel in kernels),
        time_ratio=time_ns / analysis.kernel_ns,
        evidence=_evidence({**lacking, **weak}),
    )


def _plan(analysis: Analysis, lacking_ns: int) -> str:
    """Write the command that plans how to measure what lacks counters."""
    measured_ns = sum(kernel.time_ns for kernel in analysis.kernels if kernel.is_measured)
    words = ["--cover", "100%"] if _is_covered(measured_ns, lacking_ns) else []
    # of all that the user said of the walls, counting needs to know the GPU alone
    options = WallOptions(hw=analysis.options.hw)
    return command(replace(analysis, options=options), "plan", *words)


def _is_covered(measured_ns: int, lacking_ns: int) -> bool:
    return measured_ns >= _PLANNED_RATIO * (measured_ns + lacking_ns)


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
        advice=_advice_weak(analysis, kernels),
        kernels=tuple(kernel.id for kernel in kernels),
        time_ratio=time_ratio,
        evidence=_evidence(weak),
    )


def _advice_weak(analysis: Analysis, kernels: Sequence[KernelPoint]) -> Text:
    """Name the counters that would make FLOP exact; there may be none."""
    walls = {row.walls.facts.device: row.walls for row in analysis.devices}
    left_out = dict.fromkeys(
        name for kernel in kernels for name in _left_out(kernel, walls[kernel.key.device])
    )
    if not left_out:
        return text("NW801.advice_weak_none")
    tensor = [name for name in left_out if name.startswith(TENSOR_PREFIX)]
    scalar = [name for name in left_out if not name.startswith(TENSOR_PREFIX)]
    if len(tensor) > _NAMED:
        tensor = [f"{TENSOR_PREFIX}*.sum"]
    counters = ", ".join(_braced(group) for group in (scalar, tensor) if group)
    return text("NW801.advice_weak", counters=counters)


def _left_out(kernel: KernelPoint, walls: DeviceWalls) -> Iterator[str]:
    """Name the counters of FLOP that its chip has and that were not collected."""
    hardware = walls.hardware
    chip = kernel.match.part or walls.facts.compute_capability
    chip = chip or (hardware.compute_capability if hardware else None)
    counts = {f"{UNITS[0]}{row.counter}.sum" for row in load_table().instructions}
    values = kernel.match.values or {}
    for name in recommended_metrics(chip or ""):
        # sparse and dense work have counters of their own, and one of both
        both = name.replace("_sparsity_off", "").replace("_sparsity_on", "")
        counter = name[name.index("__") + 2 :]
        known = {name, both, *(f"{unit}{counter}" for unit in UNITS)}
        if (name in counts or name.startswith(TENSOR_PREFIX)) and known.isdisjoint(values):
            yield name


def _braced(counters: Sequence[str]) -> str:
    """Write what names have in common once, as a shell does: ``op_{dadd,hadd}.sum``."""
    if len(counters) == 1:
        return counters[0]
    head = _shared_start(counters)
    rests = [name.removeprefix(head) for name in counters]
    tail = _shared_start([rest[::-1] for rest in rests])[::-1]
    return f"{head}{{{','.join(rest.removesuffix(tail) for rest in rests)}}}{tail}"


def _shared_start(words: Sequence[str]) -> str:
    columns = takewhile(lambda chars: len(set(chars)) == 1, zip(*words, strict=False))
    return "".join(chars[0] for chars in columns)


def _evidence(groups: _Groups) -> dict[str, float | str | None]:
    return {f"{kind}_time_ns": _time_ns({kind: rows}) for kind, rows in groups.items()}


RULE = Rule(code="NW801", name="counters-missing", check=check)
