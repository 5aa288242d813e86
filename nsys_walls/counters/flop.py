"""Floating-point work of a launch by precision, and the peaks that ncu itself states."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from nsys_walls.counters.amount import elapsed_cycles, instructions
from nsys_walls.counters.pipe import HFMA, WARP_THREADS, Pipe
from nsys_walls.counters.table import (
    PEAK,
    PER_CYCLE,
    TENSOR_PREFIX,
    UNITS,
    Instruction,
    load_table,
    split_tensor_name,
)
from nsys_walls.counters.tensor import TensorCount, tensor_of
from nsys_walls.texts import Text, text

FlopIs = Literal["exact", "lower_bound", "estimate"]

_HMUL = "sass_thread_inst_executed_op_hmul_pred_on"

_PACKED_NOTE, _MOVES_NOTE = text("work.packed_pairs"), text("work.moves")
_COLLECT = "smsp__sass_thread_inst_executed_op_{}{{add,mul,fma}}_pred_on.sum"
_RATE_NOTE = text("work.from_rates")


@dataclass(frozen=True, slots=True, kw_only=True)
class FlopCount:
    """Operations of a launch; attributes are those of `nsys_walls.counters.work.Work`."""

    flop: float | None = None
    flop_by_precision: Mapping[str, float] = field(default_factory=dict)
    flop_is: FlopIs | None = None
    flop_reason: Text | None = None
    not_collected: tuple[str, ...] = ()
    notes: tuple[Text, ...] = ()


@dataclass(slots=True)
class _Scalar:
    """Operations outside the tensor cores, of one precision.

    Attributes:
        flop: Operations, or None where nothing of it was measured.
        has_core: Whether the instructions that every chip has were measured, all of them.
        is_whole: Whether those of this chip alone were, too.
    """

    flop: float | None = None
    has_core: bool = True
    is_whole: bool = True


def _scalars(values: Mapping[str, float], compute_capability: str | None) -> dict[str, _Scalar]:
    found: dict[str, _Scalar] = {}
    for row in load_table().instructions:
        scalar = found.setdefault(row.precision, _Scalar())
        count = instructions(values, row.counter)
        if count is not None:
            scalar.flop = (scalar.flop or 0.0) + count * row.flop
        elif not row.only_on:
            scalar.has_core = scalar.is_whole = False
        elif compute_capability in row.only_on:
            scalar.is_whole = False
    return found


def _half(pipe: Pipe, counted: float) -> tuple[float, Text | None]:
    """Tell FP16 work from moves and conversions; returns the work and what to say about it.

    Compilers move constants with HFMA2.MMA and convert with HADD2, also in FP32 programs.
    They never multiply for that, and each such move is an instruction on the tensor pipe.
    """
    if not counted:
        return counted, None
    issued = pipe.instructions
    hmul, hfma = instructions(pipe.values, _HMUL), instructions(pipe.values, HFMA)
    if issued is not None and not hmul and (hfma or 0) <= WARP_THREADS * issued:
        return 0.0, _MOVES_NOTE
    return counted, _PACKED_NOTE


def flop_of(
    values: Mapping[str, float], *, compute_capability: str | None, says_tensor: bool | None
) -> FlopCount:
    """Count the operations of a launch.

    Args:
        values: Metrics of the launch, base units.
        compute_capability: Of the chip, such as ``"8.0"``; None if not known.
        says_tensor: Whether the kernel's name means tensor cores; None if it does not say.
    """
    chip = load_table().chips.get(compute_capability or "")
    scalars = _scalars(values, compute_capability)
    pipe = Pipe(values=values, chip=chip, says_tensor=says_tensor)
    tensor = tensor_of(values, pipe)
    by_precision = {name: row.flop for name, row in scalars.items() if row.flop is not None}
    half_note = None
    if "fp16" in by_precision:
        by_precision["fp16"], half_note = _half(pipe, by_precision["fp16"])
    by_precision |= tensor.flop_by_precision
    not_collected = (
        *(name for name, row in scalars.items() if row.flop is None),
        *tensor.missing,
    )
    reason = _why_not(by_precision, tensor, has_fp32=scalars["fp32"].has_core)
    partly = (
        *(name for name, row in scalars.items() if row.flop is not None and not row.is_whole),
        *tensor.partial,
    )
    is_bound = bool(not_collected or partly or tensor.is_bound)
    return FlopCount(
        flop=None if reason else sum(by_precision.values()),
        flop_by_precision=by_precision,
        flop_is=None if reason else _trust(tensor, is_bound=is_bound),
        flop_reason=reason,
        not_collected=not_collected,
        notes=tuple(_notes(values, half_note, partly, tensor)),
    )


def _why_not(
    by_precision: Mapping[str, float], tensor: TensorCount, *, has_fp32: bool
) -> Text | None:
    """Say why the operations do not add up to a number; None where they do."""
    if tensor.reason is not None:
        return tensor.reason
    if has_fp32 or any(by_precision.values()):
        return None
    if not by_precision:
        return text("work.no_flop_counter", counters=_COLLECT.format("{d,f,h}"))
    return text("work.no_fp32_counter", counters=_COLLECT.format("f"))


def _trust(tensor: TensorCount, *, is_bound: bool) -> FlopIs:
    if tensor.is_estimate:
        return "estimate"
    return "lower_bound" if is_bound else "exact"


def _notes(
    values: Mapping[str, float],
    half_note: Text | None,
    partly: tuple[str, ...],
    tensor: TensorCount,
) -> Iterator[Text]:
    if half_note is not None:
        yield half_note
    if partly:
        yield text("work.partly_collected", precisions=", ".join(partly))
    yield from tensor.notes
    if elapsed_cycles(values) is not None and any(
        name.endswith(PER_CYCLE) and name.removesuffix(".per_cycle_elapsed") not in values
        for name in values
    ):
        yield _RATE_NOTE


def integer_of(values: Mapping[str, float]) -> float | None:
    """Scalar integer instructions per thread, or None if not measured."""
    return instructions(values, load_table().integer)


def _peaks_per_cycle(
    values: Mapping[str, float], rows: Iterable[Instruction]
) -> Iterator[tuple[str, float]]:
    """Yield precisions with operations per cycle of the whole GPU, dense."""
    for row in rows:
        for unit in UNITS:
            yield row.precision, values.get(f"{unit}{row.counter}{PEAK}", 0.0) * row.flop
    families = load_table().families
    for name, peak in values.items():
        if not (name.startswith(TENSOR_PREFIX) and name.endswith(PEAK)):
            continue
        parsed = split_tensor_name(name.removeprefix(TENSOR_PREFIX).removesuffix(PEAK))
        family = families.get(parsed.family)
        # a name that covers sparse work too has the sparse peak, twice the dense one
        if family is not None and (family.never_sparse or parsed.sparsity == "off"):
            yield family.precision, peak


def peaks_from_counters(values: Mapping[str, float], boost_hz: float) -> dict[str, float]:
    """Compute walls by ncu's own numbers, FLOP/s by precision, dense.

    Args:
        values: Metrics of a launch, base units; ``*.sum.peak_sustained`` is per cycle, of the
            whole GPU.
        boost_hz: Clock that the walls are stated at, Hz.
    """
    peaks: dict[str, float] = {}
    for precision, per_cycle in _peaks_per_cycle(values, load_table().instructions):
        if per_cycle > 0:
            peaks[precision] = max(peaks.get(precision, 0.0), per_cycle * boost_hz)
    return peaks
