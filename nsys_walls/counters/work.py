"""The value that counters become: what one launch did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from nsys_walls.texts import Text, text

#: Below this part of the L2 traffic, DRAM traffic says nothing about the kernel.
SERVED_BY_L2_RATIO = 0.01

_NO_TRAFFIC, _BY_L2 = text("work.no_traffic"), text("work.by_l2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one launch did, from hardware counters.

    Attributes:
        flop: Floating-point operations and integer tensor operations, or None if unknown.
        flop_by_precision: Parts of ``flop`` by precision, such as ``{"fp16_tensor": 2e9}``;
            measured zeros are listed.
        flop_is: How far to trust ``flop``; None where it is None.
        flop_reason: Why ``flop`` is None, one clause; None where it is a number.
        not_collected: Precisions whose counters were not collected.
        int_op: Scalar integer instructions (per thread), apart from ``flop``.
        dram_bytes: DRAM reads and writes, bytes.
        dram_bytes_from: Counter route, such as ``"dram__bytes.sum"``.
        dram_read_bytes: The reads alone, bytes.
        dram_write_bytes: The writes alone, bytes.
        l2_bytes: L2 traffic, bytes.
        l1_bytes: L1 traffic, bytes.
        ncu_ns: Duration in the counter run, ns (base clock, flushed caches: slower).
        sm_throughput_ratio: ncu's Speed of Light of the SMs (``sm__throughput``), 0 to 1.
        memory_throughput_ratio: ncu's Speed of Light of all memory levels
            (``gpu__compute_memory_throughput``), 0 to 1.
        notes: Conventions that were applied, such as packed half precision.
    """

    flop: float | None = None
    flop_by_precision: Mapping[str, float] = field(default_factory=dict)
    flop_is: Literal["exact", "lower_bound", "estimate"] | None = None
    flop_reason: Text | None = None
    not_collected: tuple[str, ...] = ()
    int_op: float | None = None
    dram_bytes: float | None = None
    dram_bytes_from: str | None = None
    dram_read_bytes: float | None = None
    dram_write_bytes: float | None = None
    l2_bytes: float | None = None
    l1_bytes: float | None = None
    ncu_ns: float | None = None
    sm_throughput_ratio: float | None = None
    memory_throughput_ratio: float | None = None
    notes: tuple[Text, ...] = ()

    @property
    def is_served_by_l2(self) -> bool:
        """Whether DRAM traffic is under 1 % of L2 traffic."""
        return (
            self.dram_bytes is not None
            and self.l2_bytes is not None
            and self.dram_bytes < SERVED_BY_L2_RATIO * self.l2_bytes
        )

    @property
    def intensity_flop_per_byte(self) -> float | None:
        """Achieved arithmetic intensity, FLOP/byte; None where a part is unknown or 0 bytes."""
        if self.flop is None or not self.dram_bytes:
            return None
        return self.flop / self.dram_bytes

    @property
    def intensity_note(self) -> Text | None:
        """Why the intensity is missing or says little, or None."""
        if self.dram_bytes == 0:
            return _NO_TRAFFIC
        return _BY_L2 if self.is_served_by_l2 else None
