"""Tensor-core operations of a launch.

Operation counters overlap: totals, their sparse and dense parts, their parts by instruction.
Parts refine a total and are never added to it. Where no operation counter was collected, the
number of tensor instructions is a substitute on some chips, marked as an estimate.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nsys_walls.counters.amount import amount
from nsys_walls.counters.pipe import Pipe
from nsys_walls.counters.table import (
    PER_CYCLE,
    PIPE_COUNTER,
    TENSOR_PREFIX,
    Chip,
    TensorFamily,
    load_table,
    split_tensor_name,
)
from nsys_walls.texts import Text, text

#: Stands for the tensor precisions of a chip that is not known.
UNKNOWN_TENSOR = "tensor"
_ESTIMATED = "fp16_tensor"
_SPARSE_NOTE = text("work.sparse")


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorCount:
    """Tensor operations of a launch.

    Attributes:
        flop_by_precision: Operations of the precisions that were measured.
        missing: Precisions of the chip that were not collected.
        partial: Precisions that were collected in part.
        is_bound: Whether there are operations beside these, of unknown precision.
        is_estimate: Whether it comes from instructions, not from operations.
        reason: Why tensor work is surely missing, one clause; None where it is not.
        notes: Conventions that were applied.
    """

    flop_by_precision: Mapping[str, float] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    is_bound: bool = False
    is_estimate: bool = False
    reason: Text | None = None
    notes: tuple[Text, ...] = ()


@dataclass(slots=True)
class _Measured:
    """The counters of one family: by sparsity, and by instruction and sparsity."""

    name: str
    row: TensorFamily | None
    totals: dict[str | None, float] = field(default_factory=dict)
    parts: dict[str, dict[str | None, float]] = field(default_factory=dict)

    @property
    def inputs(self) -> frozenset[str]:
        return frozenset(self.name.partition("_dst_")[0].removeprefix("src_").split("_"))

    @property
    def result(self) -> str:
        return self.name.partition("_dst_")[2]

    @property
    def amount(self) -> float:
        if self.totals:
            return _whole(self.totals)
        return sum(_whole(forms) for forms in self.parts.values())

    @property
    def is_complete(self) -> bool:
        return None in self.totals or len(self.totals) == 2  # noqa: PLR2004  # off and on

    def contains(self, other: "_Measured") -> bool:
        """Say whether this total counts what the other family counts, too."""
        if not self.totals or self is other:
            return False
        if self.inputs == other.inputs:
            return self.result in {"", other.result} or not (other.result or other.totals)
        return (
            self.result == other.result
            and other.inputs < self.inputs
            and not other.totals
            and self.row is not None
            and other.parts.keys() <= set(self.row.mixed_ops)
        )


def _whole(forms: Mapping[str | None, float]) -> float:
    return forms[None] if None in forms else sum(forms.values())


def tensor_names(values: Iterable[str]) -> list[str]:
    """List the tensor operation counters among metrics, without prefix and rollup, sorted."""
    return sorted(
        {
            name.removeprefix(TENSOR_PREFIX).partition(".")[0]
            for name in values
            if name.startswith(TENSOR_PREFIX) and name.endswith((".sum", PER_CYCLE))
        }
    )


def _measured(values: Mapping[str, float]) -> tuple[dict[str, float], dict[str, _Measured]]:
    """Collect the operation counters: by name, and by family in name order."""
    amounts: dict[str, float] = {}
    families: dict[str, _Measured] = {}
    rows = load_table().families
    for name in tensor_names(values):
        found = amount(values, f"{TENSOR_PREFIX}{name}")
        if found is None:
            continue
        amounts[name] = found
        parsed = split_tensor_name(name)
        family = families.setdefault(
            parsed.family, _Measured(parsed.family, rows.get(parsed.family))
        )
        forms = family.totals if parsed.op is None else family.parts.setdefault(parsed.op, {})
        forms[parsed.sparsity] = found
    return amounts, families


def _roots(families: Mapping[str, _Measured]) -> list[_Measured]:
    """List the families that no measured total contains; they share no operation."""
    return [
        family
        for family in families.values()
        if not any(other.contains(family) for other in families.values())
    ]


def _add_up(families: Mapping[str, _Measured]) -> dict[str, float]:
    """Sum the families by precision, each operation once."""
    by_precision: dict[str, float] = {}
    for family in _roots(families):
        left = family.amount
        inner = [
            row for row in families.values() if row.row and row.result and family.contains(row)
        ]
        if sum(other.amount for other in inner) <= left:
            for other in inner:
                _put(by_precision, other, other.amount)
                left -= other.amount
        _put(by_precision, family, left)
    return by_precision


def _put(by_precision: dict[str, float], family: _Measured, flop: float) -> None:
    if family.row is not None:
        precision = family.row.precision
        by_precision[precision] = by_precision.get(precision, 0.0) + max(flop, 0.0)


def _incomplete(
    chip: Chip | None, amounts: Mapping[str, float], families: Mapping[str, _Measured]
) -> list[str]:
    """List the precisions of a chip of which some operations were not counted."""
    if chip is None:
        return [UNKNOWN_TENSOR]
    rows = load_table().families
    incomplete: dict[str, None] = {}
    for name in chip.tensor_metrics():
        family = split_tensor_name(name).family
        whole = family in families and families[family].is_complete
        if not whole and name not in amounts:
            incomplete[rows[family].precision] = None
    return list(incomplete)


def tensor_of(values: Mapping[str, float], pipe: Pipe) -> TensorCount:
    """Count the tensor operations of a launch.

    Args:
        values: Metrics of the launch, base units.
        pipe: What the tensor pipe tells, where operations were not counted.
    """
    amounts, families = _measured(values)
    if not amounts:
        return _without_operations(pipe)
    by_precision = _add_up(families)
    is_empty = not any(by_precision.values())
    incomplete = [] if is_empty and pipe.was_idle else _incomplete(pipe.chip, amounts, families)
    unknown = [family.name for family in _roots(families) if not family.row and family.amount]
    return TensorCount(
        flop_by_precision=by_precision,
        missing=tuple(name for name in incomplete if name not in by_precision),
        partial=tuple(name for name in incomplete if name in by_precision),
        is_bound=bool(unknown),
        reason=_surely_missing(pipe) if is_empty and incomplete else None,
        notes=(
            *(text("work.unknown_counter", counter=f"{TENSOR_PREFIX}{name}") for name in unknown),
            *_sparse_notes(amounts),
        ),
    )


def _sparse_notes(amounts: Mapping[str, float]) -> tuple[Text, ...]:
    sparse = (flop for name, flop in amounts.items() if name.endswith("_sparsity_on"))
    return (_SPARSE_NOTE,) if any(sparse) else ()


def _without_operations(pipe: Pipe) -> TensorCount:
    """Judge by the tensor pipe, where no operations were counted."""
    if pipe.was_idle:
        return TensorCount()
    missing = (UNKNOWN_TENSOR,) if pipe.chip is None else load_table().precisions(pipe.chip)
    estimate = pipe.estimated_flop
    if pipe.chip is None or estimate is None:
        return TensorCount(missing=missing, reason=_surely_missing(pipe))
    return TensorCount(
        flop_by_precision={_ESTIMATED: estimate},
        missing=() if pipe.sees_all else tuple(name for name in missing if name != _ESTIMATED),
        is_estimate=True,
        notes=(text("work.tensor_estimate", flop=f"{pipe.chip.hmma_flop:,}"),),
    )


def _surely_missing(pipe: Pipe) -> Text | None:
    """Explain why there is tensor work that no counter holds; None where that is not sure."""
    if pipe.was_active:
        sign = text("work.tensor_pipe_active")
    elif pipe.says_tensor:
        sign = text("work.named_tensor")
    else:
        return None
    return text("work.no_tensor_counter", sign=sign, todo=_advice(pipe.chip))


def _advice(chip: Chip | None) -> Text:
    every = f"{TENSOR_PREFIX}*.sum"
    if chip is None:
        return text("work.collect_some", counters=every)
    number = chip.compute_capability
    if not chip.tensor and chip.hmma_flop is None:
        return text("work.no_counter_for_them", compute_capability=number)
    if not chip.tensor:
        return text("work.collect", counters=f"sm__{PIPE_COUNTER}.sum")
    return text("work.collect_of_chip", counters=every, compute_capability=number)
