"""What the tensor pipe tells about a launch whose operations were not counted.

It counts warp instructions, and not only matrix ones: compilers move constants with HFMA2.MMA,
also in FP32 programs. So it proves that there was no tensor work, or that there was some, and
gives an estimate where the size of an instruction is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nsys_walls.counters.amount import instructions
from nsys_walls.counters.table import Chip, load_table

WARP_THREADS = 32
HFMA = "sass_thread_inst_executed_op_hfma_pred_on"

# Above this a tensor pipe is busy with tensor work: moves alone have been seen at 0.96 %.
_BUSY_PERCENT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipe:
    """The tensor pipe during a launch.

    Attributes:
        values: Metrics of the launch, base units.
        chip: What the chip counts, or None if the chip is not known.
        says_tensor: Whether the kernel's name means tensor cores; None if it does not say.
    """

    values: Mapping[str, float]
    chip: Chip | None
    says_tensor: bool | None

    @property
    def instructions(self) -> float | None:
        """Warp instructions on the pipe, moves included; None if not measured."""
        return self._issued("all")

    def _issued(self, counts: str) -> float | None:
        """Add up the instructions of a kind; None if none of its counters was measured."""
        rows = (row for row in load_table().pipes if row.counts == counts)
        found = [instructions(self.values, row.counter) for row in rows]
        measured = [count for count in found if count is not None]
        return sum(measured) if measured else None

    @property
    def _hfma(self) -> float | None:
        return instructions(self.values, HFMA)

    @property
    def sees_all(self) -> bool:
        """Whether every tensor instruction was counted."""
        if self.instructions is None:
            return False
        return self.chip is None or self.chip.pipe_counts_all

    @property
    def was_idle(self) -> bool:
        """Whether it is sure that there was no tensor work.

        Each instruction may be a move of which a single lane was live. Where the name means
        tensor cores, only moves of whole warps explain them away.
        """
        issued = self.instructions
        moves = (self._hfma or 0.0) / (WARP_THREADS if self.says_tensor else 1)
        return self.sees_all and issued is not None and issued <= moves

    @property
    def was_active(self) -> bool:
        """Whether it is sure that there was tensor work."""
        hfma = self._hfma
        counts = (self._issued("all"), self._issued("hmma"))
        if self._issued("other") or any((count or 0) > (hfma or 0) for count in counts):
            return True
        # without a single FP16 instruction nothing but tensor work explains any activity
        idle_percent = 0 if hfma == 0 else _BUSY_PERCENT
        percentages = load_table().utilization
        return any(
            value > idle_percent
            for name, value in self.values.items()
            if percentages.fullmatch(name)
        )

    @property
    def estimated_flop(self) -> float | None:
        """Operations by the size of an HMMA instruction; None where that would be a guess."""
        issued = self._issued("hmma") if self.instructions is None else self.instructions
        chip, hfma = self.chip, self._hfma
        if chip is None or chip.hmma_flop is None or issued is None or self._issued("other"):
            return None
        moves_unknown = hfma is None and chip.half_on_tensor_pipe and not self.says_tensor
        if moves_unknown or issued <= (hfma or 0):
            return None
        return (issued - (hfma or 0) / WARP_THREADS) * chip.hmma_flop
