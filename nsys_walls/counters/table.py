"""The table of Nsight Compute counters: which to keep, what one is worth, chip by chip.

Every name and number is a row of ``data/ncu_metrics.toml``, with its source.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cache
from importlib.resources import files
from typing import Any, Literal

#: Duration of a launch in the counter run, ns.
DURATION = "gpu__time_duration.sum"
#: Speed of Light of the SMs and of all memory levels, percent.
SM_THROUGHPUT = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
MEMORY_THROUGHPUT = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"

#: Units that count the same instructions; the first one found is taken, they are never added.
UNITS = ("smsp__", "sm__")
TENSOR_PREFIX = "sm__ops_path_tensor_"
PIPE_COUNTER = "inst_executed_pipe_tensor"
PER_CYCLE = ".sum.per_cycle_elapsed"
PEAK = ".sum.peak_sustained"

DRAM_BYTES = "dram__bytes.sum"
_L2_BYTES = "lts__t_bytes.sum"
_ROLLUPS = (".sum", PER_CYCLE, PEAK)

Level = Literal["dram", "l2", "l1"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """A thread instruction with floating-point operations.

    Attributes:
        counter: Counter name without its unit prefix and rollup.
        precision: Precision of its operations.
        flop: Operations per counted instruction.
        only_on: Compute capabilities that have it; empty means all.
    """

    counter: str
    precision: str
    flop: int
    only_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorFamily:
    """Tensor operations on one combination of data types.

    Attributes:
        name: The part of the counter name that states the types, such as ``src_tf32_dst_fp32``.
        precision: Precision of the wall that they run against.
        mixed_ops: Instructions whose own counters, of one type each, are parts of this family.
        never_sparse: Whether the peak of the plain counter is the dense one.
    """

    name: str
    precision: str
    mixed_ops: tuple[str, ...] = ()
    never_sparse: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PipeCounter:
    """A counter of warp instructions on the tensor pipe.

    Attributes:
        counter: Counter name without its unit prefix and rollup.
        counts: Which of them: all, those of HMMA shapes, or others.
    """

    counter: str
    counts: Literal["all", "hmma", "other"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One way to bytes.

    Attributes:
        level: Memory level.
        sum: Counters to add, all of them needed.
        bytes: Bytes per count.
        per_second: Whether the counters are rates, to be multiplied by ncu's duration.
    """

    level: Level
    sum: tuple[str, ...]
    bytes: int = 1
    per_second: bool = False

    @property
    def label(self) -> str:
        """How the route is named in reports."""
        label = " + ".join(self.sum)
        if self.bytes > 1:
            label = f"({label}) x {self.bytes}" if len(self.sum) > 1 else f"{label} x {self.bytes}"
        return f"{label} x ncu duration" if self.per_second else label


@dataclass(frozen=True, slots=True, kw_only=True)
class CycleCounter:
    """A counter of elapsed cycles, and the cycles per second of the same clock."""

    counter: str
    rate: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """What can be counted on the chips of one compute capability.

    Attributes:
        compute_capability: Such as ``"8.0"``.
        tensor: Names of the families that add up to all tensor work.
        sparsity_split: Those of them that exist only as ``_sparsity_off`` and ``_sparsity_on``.
        tensor_parts: Counters by instruction, for types that have no total.
        tensor_precisions: Precisions of the tensor cores where no family counts them.
        hmma_flop: Operations per FP16 or BF16 tensor instruction of a warp, or None if unknown.
        half_on_tensor_pipe: Whether moves and half arithmetic count as tensor instructions.
        pipe_counts_all: Whether zero tensor instructions mean no tensor work.
        dram: Counters of DRAM traffic; empty where the chip has none.
    """

    compute_capability: str
    tensor: tuple[str, ...]
    sparsity_split: tuple[str, ...] = ()
    tensor_parts: tuple[str, ...] = ()
    tensor_precisions: tuple[str, ...] = ()
    hmma_flop: int | None = None
    half_on_tensor_pipe: bool
    pipe_counts_all: bool
    dram: tuple[str, ...]

    def tensor_metrics(self) -> Iterator[str]:
        """Name the counters that together measure all tensor work, without the common prefix."""
        for family in self.tensor:
            if family in self.sparsity_split:
                yield f"{family}_sparsity_off"
                yield f"{family}_sparsity_on"
            else:
                yield family
        yield from self.tensor_parts


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricTable:
    """All rows of ``data/ncu_metrics.toml``.

    Attributes:
        instructions: Floating-point instructions outside the tensor cores.
        integer: Counter of scalar integer instructions.
        families: Tensor families by name.
        pipes: Counters of tensor instructions.
        utilization: Pattern of percentages that show a busy tensor pipe.
        chips: Chips by compute capability.
        routes: Ways to bytes, best first.
        cycles: Counters of elapsed cycles, best first.
        labels: Metric by (section, label) of the details page.
        kept: Pattern of all names that are worth storing.
    """

    instructions: tuple[Instruction, ...]
    integer: str
    families: Mapping[str, TensorFamily]
    pipes: tuple[PipeCounter, ...]
    utilization: re.Pattern[str]
    chips: Mapping[str, Chip]
    routes: tuple[Route, ...]
    cycles: tuple[CycleCounter, ...]
    labels: Mapping[tuple[str, str], str]
    kept: re.Pattern[str]

    def wants(self, metric_name: str) -> bool:
        """Say whether a counter is stored, by its internal name."""
        return self.kept.fullmatch(metric_name) is not None

    def from_label(self, section: str | None, label: str, unit: str) -> str | None:
        """Find the internal name behind a label of the details page.

        Args:
            section: Section name as printed; labels repeat across sections.
            label: Metric label as printed.
            unit: Unit as printed, which has to fit: percent or not.

        Returns:
            Internal name; None for a label that is not worth storing.
        """
        name = self.labels.get((section or "", label))
        if name is None or ("pct" in name) != (unit.strip() == "%"):
            return None
        return name

    def precisions(self, chip: Chip) -> tuple[str, ...]:
        """List the tensor precisions of a chip, in table order."""
        counted = (split_tensor_name(name).family for name in chip.tensor_metrics())
        known = (self.families[family].precision for family in counted)
        return tuple(dict.fromkeys((*known, *chip.tensor_precisions)))


_TENSOR_NAME = re.compile(
    r"(?:op_(?P<op>[a-z0-9]+)_)?(?P<family>src_[a-z0-9_]+?)(?:_sparsity_(?P<sparsity>on|off))?"
)


@dataclass(frozen=True, slots=True)
class TensorName:
    """The parts of a tensor counter's name.

    Attributes:
        op: Instruction, or None for all of them.
        family: Data types, such as ``src_fp16_dst_fp32``.
        sparsity: ``"on"``, ``"off"``, or None for both.
    """

    op: str | None
    family: str
    sparsity: str | None


def split_tensor_name(name: str) -> TensorName:
    """Take a tensor counter's name apart.

    Args:
        name: Counter name without its prefix and rollup. Of a name of another form, all is
            taken as the family, so that it is found in no table.
    """
    match = _TENSOR_NAME.fullmatch(name)
    if match is None:
        return TensorName(op=None, family=name, sparsity=None)
    return TensorName(op=match["op"], family=match["family"], sparsity=match["sparsity"])


def _rows(document: Mapping[str, Any], key: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a kind as arguments; sources are for readers of the file and for tests."""
    for row in document[key]:
        yield {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in row.items()
            if name != "source"
        }


def _any_of(patterns: Iterator[str]) -> re.Pattern[str]:
    return re.compile("|".join(dict.fromkeys(translate(pattern) for pattern in patterns)))


def _kept(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield patterns of the names that rows use, and of those kept beside them."""
    for key in ("instruction", "integer", "pipe"):
        for row in document[key]:
            yield from (f"{unit}{row['counter']}{end}" for unit in UNITS for end in _ROLLUPS)
    yield from (f"{TENSOR_PREFIX}*{end}" for end in _ROLLUPS)
    for row in document["traffic"]:
        yield from row["sum"]
    for row in document["cycles"]:
        yield from (row["counter"], row["rate"])
    for key in ("keep", "pipe_utilization"):
        yield from (row["pattern"] for row in document[key])


@cache
def load_table() -> MetricTable:
    """Read ``data/ncu_metrics.toml``, once."""
    path = files("nsys_walls").joinpath("data", "ncu_metrics.toml")
    document = tomllib.loads(path.read_text("utf-8"))
    families = [TensorFamily(**row) for row in _rows(document, "tensor")]
    chips = [Chip(**row) for row in _rows(document, "chip")]
    return MetricTable(
        instructions=tuple(Instruction(**row) for row in _rows(document, "instruction")),
        integer=document["integer"][0]["counter"],
        families={family.name: family for family in families},
        pipes=tuple(PipeCounter(**row) for row in _rows(document, "pipe")),
        utilization=_any_of(row["pattern"] for row in document["pipe_utilization"]),
        chips={chip.compute_capability: chip for chip in chips},
        routes=tuple(Route(**row) for row in _rows(document, "traffic")),
        cycles=tuple(CycleCounter(**row) for row in _rows(document, "cycles")),
        labels={
            (section, label): name
            for group in document["labels"]
            for section in group["sections"]
            for label, name in group["metrics"].items()
        },
        kept=_any_of(_kept(document)),
    )


def recommended_metrics(compute_capability: str) -> tuple[str, ...]:
    """List the counters that this chip's walls need, for ``ncu --metrics``.

    Time, Speed of Light, DRAM traffic (L2 traffic tells when that says nothing), and the
    operations of every precision that the chip has.

    Args:
        compute_capability: Such as ``"8.0"``; for an unknown one, what every chip has.
    """
    table = load_table()
    chip = table.chips.get(compute_capability)
    instructions = [
        f"{UNITS[0]}{row.counter}.sum"
        for row in table.instructions
        if not row.only_on or compute_capability in row.only_on
    ]
    common = (DURATION, SM_THROUGHPUT, MEMORY_THROUGHPUT)
    if chip is None:
        return (*common, DRAM_BYTES, _L2_BYTES, *instructions)
    # tensor instructions tell FP16 work from moves that are counted alike
    pipe = [f"sm__{PIPE_COUNTER}.sum"] if chip.pipe_counts_all else []
    tensor = [f"{TENSOR_PREFIX}{name}.sum" for name in chip.tensor_metrics()]
    return (*common, *chip.dram, _L2_BYTES, *instructions, *pipe, *tensor)
