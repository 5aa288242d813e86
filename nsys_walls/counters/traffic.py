"""Bytes and time of a launch, from whichever counters were collected."""

from collections.abc import Iterable, Mapping

from nsys_walls.counters.table import DURATION, Level, Route, load_table
from nsys_walls.units import NS_PER_S

_MEMORY_CLOCK = "device__attribute_memory_clock_rate"
_BUS_WIDTH = "device__attribute_global_memory_bus_width"
# The driver states kHz; a reader that found the unit printed has made it Hz. Memory clocks
# lie between 0.4 and 16 GHz, so the two can't be mixed up.
_LOWEST_HZ = 100_000_000
_TRANSFERS_PER_CLOCK = 2
_BITS_PER_BYTE = 8


def ncu_time_ns_of(values: Mapping[str, float]) -> float | None:
    """Duration of a launch in the counter run, ns; None if not measured.

    ``gpu__time_duration.sum``, else elapsed cycles by their own clock.
    """
    if values.get(DURATION):
        return values[DURATION]
    for row in load_table().cycles:
        cycles, per_second = values.get(row.counter), values.get(row.rate)
        if cycles and per_second:
            return cycles / per_second * NS_PER_S
    return None


def bytes_of(values: Mapping[str, float], level: Level) -> tuple[float, str] | None:
    """Traffic of a memory level over a launch, by the best route there is.

    Returns:
        Bytes and the name of the route; None if no route is complete.
    """
    for route in load_table().routes:
        if route.level != level:
            continue
        found = _by_route(values, route)
        if found is not None:
            return found, route.label
    return None


def _by_route(values: Mapping[str, float], route: Route) -> float | None:
    return _amount(values, route, route.sum)


def _amount(values: Mapping[str, float], route: Route, names: tuple[str, ...]) -> float | None:
    """Add some counters of a route, bytes; None where one is missing."""
    if any(name not in values for name in names):
        return None
    total = sum(values[name] for name in names) * route.bytes
    if not route.per_second:
        return total
    time_ns = ncu_time_ns_of(values)
    return None if time_ns is None else total * time_ns / NS_PER_S


def dram_bytes_of(values: Mapping[str, float]) -> tuple[float, str] | None:
    """DRAM reads and writes of a launch, bytes, and the route; None if not measured."""
    return bytes_of(values, "dram")


def dram_sides_of(values: Mapping[str, float]) -> tuple[float | None, float | None]:
    """DRAM reads and DRAM writes of a launch apart, bytes; None each where not measured."""
    # routes of two counters name the reads first
    routes = [row for row in load_table().routes if row.level == "dram" and len(row.sum) > 1]
    reads = (_amount(values, route, route.sum[:1]) for route in routes)
    writes = (_amount(values, route, route.sum[1:]) for route in routes)
    return _first(reads), _first(writes)


def _first(amounts: Iterable[float | None]) -> float | None:
    return next((amount for amount in amounts if amount is not None), None)


def bandwidth_from_counters(values: Mapping[str, float]) -> float | None:
    """Peak DRAM bandwidth by ncu's own numbers, byte/s; None if not measured.

    Memory clock times bus width where the device attributes were collected; else bytes per
    cycle at the DRAM clock of the launch, which short launches misstate by up to 2.
    """
    clock, width = values.get(_MEMORY_CLOCK), values.get(_BUS_WIDTH)
    if clock and width:
        hertz = clock if clock >= _LOWEST_HZ else clock * 1000
        return hertz * _TRANSFERS_PER_CLOCK * width / _BITS_PER_BYTE
    per_cycle = values.get("dram__bytes.sum.peak_sustained")
    per_second = values.get("dram__cycles_elapsed.avg.per_second")
    return per_cycle * per_second if per_cycle and per_second else None
