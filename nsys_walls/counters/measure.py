"""From the counters of a launch to what it did."""

from collections.abc import Mapping

from nsys_walls.counters.flop import flop_of, integer_of
from nsys_walls.counters.table import DRAM_BYTES, MEMORY_THROUGHPUT, SM_THROUGHPUT, load_table
from nsys_walls.counters.traffic import bytes_of, dram_bytes_of, dram_sides_of, ncu_time_ns_of
from nsys_walls.counters.work import Work
from nsys_walls.texts import Text, text


def work_of(
    values: Mapping[str, float], *, compute_capability: str | None, says_tensor: bool | None
) -> Work:
    """Turn counters into work.

    Args:
        values: Metrics of one launch (averages per launch in a summary) by internal name, in
            base units; percentages 0 to 100.
        compute_capability: Of the chip they were counted on, such as ``"8.0"``; None if not known.
        says_tensor: Whether the kernel's name means tensor cores; None if it does not say.
    """
    flop = flop_of(values, compute_capability=compute_capability, says_tensor=says_tensor)
    dram, l2, l1 = dram_bytes_of(values), bytes_of(values, "l2"), bytes_of(values, "l1")
    dram_read_bytes, dram_write_bytes = dram_sides_of(values)
    return Work(
        flop=flop.flop,
        flop_by_precision=flop.flop_by_precision,
        flop_is=flop.flop_is,
        flop_reason=flop.flop_reason,
        not_collected=flop.not_collected,
        int_op=integer_of(values),
        dram_bytes=dram[0] if dram else None,
        dram_bytes_from=dram[1] if dram else None,
        dram_read_bytes=dram_read_bytes,
        dram_write_bytes=dram_write_bytes,
        l2_bytes=l2[0] if l2 else None,
        l1_bytes=l1[0] if l1 else None,
        ncu_ns=ncu_time_ns_of(values),
        sm_throughput_ratio=_ratio(values, SM_THROUGHPUT),
        memory_throughput_ratio=_ratio(values, MEMORY_THROUGHPUT),
        notes=flop.notes if dram else (*flop.notes, _without_dram(compute_capability)),
    )


def _without_dram(compute_capability: str | None) -> Text:
    """Say what to collect where DRAM bytes are missing."""
    chip = load_table().chips.get(compute_capability or "")
    if chip is not None and not chip.dram:
        return text("work.no_dram_counters", compute_capability=chip.compute_capability)
    return text("work.no_dram_bytes", counters=", ".join(chip.dram) if chip else DRAM_BYTES)


def _ratio(values: Mapping[str, float], name: str) -> float | None:
    percent = values.get(name)
    return None if percent is None else percent / 100
