"""What a counter adds up to over a launch, whichever form of it was collected."""

from collections.abc import Mapping

from nsys_walls.counters.table import PER_CYCLE, UNITS, load_table


def elapsed_cycles(values: Mapping[str, float]) -> float | None:
    """Cycles that a launch took, or None if not measured."""
    for row in load_table().cycles:
        if row.counter in values:
            return values[row.counter]
    return None


def amount(values: Mapping[str, float], counter: str) -> float | None:
    """Sum of a counter over all units of the GPU, or None if not measured.

    Rates per cycle are multiplied by elapsed cycles and never by clock and time, which may
    come from passes at another clock.

    Args:
        values: Metrics of a launch, base units.
        counter: Counter name without rollup.
    """
    if (total := values.get(f"{counter}.sum")) is not None:
        return total
    rate, cycles = values.get(f"{counter}{PER_CYCLE}"), elapsed_cycles(values)
    return None if rate is None or cycles is None else rate * cycles


def instructions(values: Mapping[str, float], counter: str) -> float | None:
    """Like `amount`, of a counter that exists per SM and per SM partition: one of the two."""
    found = (amount(values, f"{unit}{counter}") for unit in UNITS)
    return next((total for total in found if total is not None), None)
