"""Renderers: one module per output format; each turns a report into text.

To add one, write ``reports/<name>.py`` with a module-level ``RENDERER`` (see `Renderer`).
Every renderer reads the same value, the document that ``--format json`` prints, so no two
outputs can disagree. Its shape (schema 1) is `Document`; ``null`` is "not measured".
"""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, TypedDict

from nsys_walls.reports.around_rows import Around, Classed, Sampled

DOCUMENT_SCHEMA = "nsys-walls/report/1"


class Source(TypedDict):
    """One ingested file; ``file`` is its name without folders."""

    kind: str
    file: str
    product_version: str | None
    schema_version: str | None
    rows: int
    skipped: int


class Run(TypedDict):
    """The run's name and where its rows came from."""

    name: str
    sources: list[Source]


class Device(TypedDict):
    """One GPU and its walls; ``*_from`` say where each number came from."""

    device: int
    name: str | None
    hardware: str | None
    hardware_from: str | None
    compute_capability: str | None
    sm_count: int | None
    mig: str | None
    bandwidth_bytes_per_s: float | None
    bandwidth_from: str | None
    peak_flop_per_s: dict[str, float]
    peak_from: dict[str, str]
    balance_flop_per_byte: dict[str, float]
    #: practical balance point as a part of the theoretical one
    balance_factor: float
    #: part of a wall from which a kernel counts as standing at it
    near_ratio: float
    #: public document of each table number, by "bandwidth_bytes_per_s" or precision
    documents: dict[str, str]
    totals: "DeviceTotals"


class DeviceTotals(TypedDict):
    """GPU time of one device, ns: busy + copy + other + idle = span."""

    launches: int
    span_ns: int | None
    kernel_ns: int
    busy_ns: int | None
    copy_ns: int | None
    #: work that is not selected, while nothing selected ran
    other_ns: int | None
    idle_ns: int | None


class Totals(TypedDict):
    """Sums over devices, and the share of kernel time whose bytes and FLOP are known."""

    launches: int
    kernels: int
    span_ns: int | None
    kernel_ns: int
    busy_ns: int | None
    copy_ns: int | None
    other_ns: int | None
    idle_ns: int | None
    communication_ns: int
    wall_ns: int | None
    graph_hidden_ns: int
    measured_time_ratio: float | None


class Match(TypedDict):
    """How a kernel found its counters."""

    level: str
    reason: str
    profiled_launches: int
    spread_ratio: float | None


class Kernel(Classed):
    """One point: a kernel name and launch shape on one device."""

    id: int
    name: str
    full_name: str
    device: int
    grid: list[int] | None
    block: list[int] | None
    shared_memory_bytes: int | None
    launches: int
    time_ns: int | None
    time_ratio: float
    median_ns: float | None
    mean_ns: float | None
    min_ns: int | None
    max_ns: int | None
    p95_ns: float | None
    match: Match
    flop: float | None
    flop_by_precision: dict[str, float]
    flop_is: str | None
    not_collected: list[str]
    int_op: float | None
    dram_bytes: float | None
    l2_bytes: float | None
    l1_bytes: float | None
    ncu_ns: float | None
    intensity_flop_per_byte: float | None
    intensity_note: str | None
    flop_per_s: float | None
    bytes_per_s: float | None
    precision: str | None
    compute_ratio: float | None
    bandwidth_ratio: float | None
    side: str | None
    near_balance: bool | None
    wall: str
    floor_ns: float | None
    recoverable_ns: float | None
    #: duration in the counter run over the median in the trace
    ncu_time_ratio: float | None
    #: conventions and doubts about this kernel's numbers, one clause each
    notes: list[str]
    #: the innermost NVTX range that most of its time was launched in
    range: str | None
    #: GPU metrics sampled while it ran alone
    sampled: Sampled | None


class Range(TypedDict):
    """Kernel time launched inside one NVTX range name; "(outside)" is the rest.

    Of more than 2,000 names the lightest are summed up as "(other ranges)".
    """

    name: str
    launches: int
    time_ns: int
    self_time_ns: int
    time_ratio: float
    time_by_wall_ns: dict[str, int]
    #: part of ``time_ns`` that counts in another, not nested range too
    shared_time_ns: int


class Finding(TypedDict):
    """One claim with its evidence; ``kernels`` are ids."""

    code: str
    title: str
    message: str
    kernels: list[int]
    time_ratio: float
    saving_ns: float | None
    #: Amdahl's limit over busy time (``totals.busy_ns``; ``kernel_ns`` where no launches are
    #: known); over the span in NW501, in NW502 and for the copies of NW201, since what these
    #: save is no part of the busy time
    speedup_bound: float | None
    #: the same over ``totals.span_ns``, whatever is saved; null where no span or saving is known
    end_to_end_bound: float | None
    blockers: list[str]
    advice: str
    #: the numbers it rests on, by names with units
    evidence: dict[str, float | str | None]
    #: tells it from others of its code, such as a chain's id
    key: str | None


class Abstained(TypedDict):
    """A rule that could not look, and what it would need."""

    code: str
    reason: str


class WarningRow(TypedDict):
    """Something the reader of the report must know."""

    code: str
    message: str


class ClassTime(Classed):
    """Time of one operator class."""

    launches: int
    time_ns: int
    time_ratio: float
    recoverable_ns: float | None
    time_by_wall_ns: dict[str, int]


class Document(Around):
    """The whole report; see ``data/report-1.schema.json`` for the same in JSON Schema."""

    schema: str
    version: str
    run: Run
    devices: list[Device]
    totals: Totals
    time_by_wall_ns: dict[str, int]
    classes: list[ClassTime]
    kernels: list[Kernel]
    ranges: list[Range]
    findings: list[Finding]
    abstained: list[Abstained]
    warnings: list[WarningRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a renderer may show.

    Attributes:
        document: The report as data, ready for JSON: no NaN, no infinity.
        headline: Which wall holds which share of GPU time, one sentence.
        advice: The one thing to do first, one or two sentences.
        language: The language of both, and of the findings.
    """

    document: Document
    headline: str
    advice: str
    language: str = "en"


class Renderer(Protocol):
    """What every renderer offers.

    Attributes:
        name: What is typed after ``--format``.
        suffix: Of the file it is written to, such as ``".html"``.
    """

    name: str
    suffix: str

    def render(self, report: Report) -> str:
        """Turn a report into text, the same text for the same report."""
        ...


@cache
def all_renderers() -> dict[str, Renderer]:
    """Load the renderer of every module in this package, by format name."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    renderers = (module.RENDERER for module in modules if hasattr(module, "RENDERER"))
    return {renderer.name: renderer for renderer in renderers}
