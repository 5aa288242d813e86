"""NW601: matrix products run on a slower unit or in a slower precision than the GPU has.

Meaning:
    A GEMM or a convolution computes on CUDA cores although the GPU has tensor cores for its
    precision, in FP32 although TF32 or BF16 exist, or in TF32 although BF16 exists. Its compute
    wall is the lower one; on the other unit the same work has a higher wall.

Evidence:
    GEMMs and convolutions on the compute side whose bytes and FLOP by precision are known, most of
    their compute floor in one precision, and a faster peak for its sibling on this device. FP64
    goes to FP64 tensor cores, FP16 to FP16 tensor cores, FP32 to TF32, else BF16, else FP16, TF32
    to BF16, else FP16: what mixed precision usually does. The saving is their time above the new
    floor, which is never below that of their measured traffic; it is less where they overlap. FP8
    in place of FP16 or BF16 is named from 5 % of kernel time on, last and without a saving: only
    the model's accuracy can tell whether there is one.

Abstains:
    Where GEMMs or convolutions have no FLOP by precision. Kernels on the memory side are silent:
    a faster unit does nothing for them; so are those that wait on latency, and those whose tensor
    work was not counted.

Try:
    In PyTorch autocast, or allow_tf32 of torch.backends.cuda.matmul; in cuBLAS the compute
    type; sizes in multiples of 16 bytes, without which older libraries leave the tensor cores.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.coverage import SMALLEST_RATIO
from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.listed import names, sentences
from nsys_walls.roofline.model import Walls, place
from nsys_walls.roofline.savings import Faster, saving_at_walls
from nsys_walls.texts import text
from nsys_walls.units import duration, percent, si

_MATRIX_CLASSES = frozenset({"gemm", "conv"})

# What usual practice moves to, in this order; the first that is faster on the device is taken.
_SIBLINGS: Mapping[str, tuple[str, ...]] = {
    "fp64": ("fp64_tensor",),
    "fp32": ("tf32_tensor", "bf16_tensor", "fp16_tensor"),
    "tf32_tensor": ("bf16_tensor", "fp16_tensor"),
    "fp16": ("fp16_tensor",),
    "fp16_tensor": ("fp8_tensor",),
    "bf16_tensor": ("fp8_tensor",),
}
# Whether a model stands it is to be tried out first, so nothing is promised.
_NOT_PROMISED = frozenset({"fp8_tensor"})
_HINT_RATIO = 0.05
_LABELS: Mapping[str, str] = {
    "fp64": "FP64",
    "fp64_tensor": "FP64",
    "fp32": "FP32",
    "tf32_tensor": "TF32",
    "fp16": "FP16",
    "fp16_tensor": "FP16",
    "bf16_tensor": "BF16",
    "fp8_tensor": "FP8",
}


@dataclass(frozen=True, slots=True)
class _Move:
    """A kernel that could compute elsewhere.

    Attributes:
        kernel: The kernel.
        target: Precision to move to.
        faster: What it would be there at its floor.
        peaks: Peak now and there, FLOP/s.
    """

    kernel: KernelPoint
    target: str
    faster: Faster
    peaks: tuple[float, float]


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Look for a faster sibling of the precision that each matrix product computes in."""
    walls = {row.walls.facts.device: row.walls.walls for row in analysis.devices}
    matrix = [row for row in analysis.kernels if row.kernel_class.op_class in _MATRIX_CLASSES]
    groups: dict[tuple[str, str], list[_Move]] = {}
    for kernel in matrix:
        move = _move(kernel, walls[kernel.key.device])
        if move is not None:
            groups.setdefault((_precision(kernel), move.target), []).append(move)
    found = [
        moves
        for (_, target), moves in groups.items()
        if sum(move.kernel.time_ns for move in moves) >= _smallest(target) * analysis.kernel_ns
    ]
    yield from (_finding(analysis, moves) for moves in found)
    unknown_ns = sum(row.time_ns for row in matrix if row.placement is None or not row.is_measured)
    if not found and unknown_ns and unknown_ns >= SMALLEST_RATIO * analysis.kernel_ns:
        share = percent(unknown_ns / analysis.kernel_ns)
        yield Abstention(code=RULE.code, reason=text("NW601.no_flop", share=share))


def _smallest(target: str) -> float:
    return _HINT_RATIO if target in _NOT_PROMISED else SMALLEST_RATIO


def _precision(kernel: KernelPoint) -> str:
    return (kernel.placement.precision if kernel.placement else None) or ""


def _move(kernel: KernelPoint, walls: Walls) -> _Move | None:
    """Find where a kernel would be faster; None where it is where it should be, or unknown."""
    time_ns, placement = kernel.times.typical_ns, kernel.placement
    if time_ns is None or placement is None or placement.side != "compute":
        return None
    if not kernel.is_measured or kernel.wall == "latency" or not _is_all_counted(kernel):
        return None
    source = _precision(kernel)
    peak = walls.peak_of(source) or 0.0
    target = next(
        (name for name in _SIBLINGS.get(source, ()) if (walls.peak_of(name) or 0.0) > peak), None
    )
    if target is None:
        return None
    flop = dict(kernel.work.flop_by_precision)
    flop[target] = flop.get(target, 0.0) + flop.pop(source)
    there = place(replace(kernel.work, flop_by_precision=flop), time_ns, walls)
    after_ns = min(float(kernel.time_ns), (there.floor_ns or 0.0) * kernel.times.launches)
    faster = Faster(kernel, after_ns, there)
    return _Move(kernel, target, faster, (peak, walls.peak_of(target) or 0.0))


def _is_all_counted(kernel: KernelPoint) -> bool:
    """Whether it is sure that CUDA cores do the work, where they seem to."""
    if _precision(kernel).endswith("_tensor") or kernel.kernel_class.tensor_core is False:
        return True
    return not any(name.endswith("tensor") for name in kernel.work.not_collected)


def _finding(analysis: Analysis, moves: Sequence[_Move]) -> Finding:
    first = moves[0]
    source, target = _precision(first.kernel), first.target
    kernels = [move.kernel for move in moves]
    time_ns = sum(kernel.time_ns for kernel in kernels)
    above_ns = sum(move.faster.saved_ns for move in moves)
    saving_ns = saving_at_walls(analysis, [move.faster for move in moves])
    now, then = first.peaks
    is_promised, is_same = target not in _NOT_PROMISED, _LABELS[source] == _LABELS[target]
    labels = {"source": _LABELS[source], "target": _LABELS[target]}
    unit = "tensor" if source.endswith("_tensor") else "cuda"
    parts = [
        text(
            "NW601.message",
            time=duration(time_ns),
            share=percent(time_ns / analysis.kernel_ns),
            names=names(kernels),
            now=si(now, "FLOP/s"),
            then=si(then, "FLOP/s"),
            factor=f"{then / now:.3g}",
            target=labels["target"],
        )
    ]
    if is_promised:
        parts.append(text("NW601.saving", saving=duration(above_ns)))
    return Finding(
        code=RULE.code,
        title=text(f"NW601.title_{unit}", kernels=len(kernels), **labels),
        message=sentences(parts),
        advice=text(f"NW601.advice_{'same' if is_same else target}"),
        kernels=tuple(kernel.id for kernel in kernels),
        time_ratio=time_ns / analysis.kernel_ns,
        saving_ns=saving_ns if is_promised else None,
        speedup_bound=speedup_bound(analysis.busy_ns, saving_ns) if is_promised else None,
        evidence={
            "time_ns": time_ns,
            f"{source}_peak_flop_per_s": now,
            f"{target}_peak_flop_per_s": then,
            "time_above_new_floor_ns": above_ns,
        },
        key=f"{source}-{target}",
    )


RULE = Rule(code="NW601", name="slower-unit-or-precision", check=check)
