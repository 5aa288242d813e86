"""Number the GPUs of a run, and collect what the sources say about each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nsys_walls.roofline.walls import DeviceFacts
from nsys_walls.store.dataset import StoredRun


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDevices:
    """The GPUs of a run.

    Attributes:
        facts: What is known of each, by number.
        by_gpu: (source, gpu) of the store to number.
        by_counters: (CUDA ordinal, compute capability) of profiled launches to number, where
            the devices come from them; empty where a trace has devices.
    """

    facts: Mapping[int, DeviceFacts]
    by_gpu: Mapping[tuple[int, int], int] = field(default_factory=dict)
    by_counters: Mapping[tuple[int | None, str | None], int] = field(default_factory=dict)

    def of_counters(self, ordinal: int | None, compute_capability: str | None) -> int | None:
        """Number the GPU of a profiled launch; None where several could be meant."""
        if self.by_counters:
            return self.by_counters[ordinal, compute_capability]
        if ordinal is not None or len(self.facts) > 1:
            return ordinal
        return min(self.facts)

    def part(self, device: int) -> str | None:
        """Name the kind of GPU, comparable with what counters say: its compute capability."""
        facts = self.facts.get(device)
        return facts.compute_capability if facts else None


def _facts(device: int, row: Mapping[str, Any]) -> DeviceFacts:
    return DeviceFacts(
        device=device,
        name=row["name"],
        chip=row["chip"],
        compute_capability=row["compute_capability"],
        sm_count=row["sm_count"],
        clock_hz=row["clock_hz"],
        bandwidth_bytes_per_s=row["bandwidth_bytes_per_s"],
        memory_bytes=row["memory_bytes"],
        discrete=row["discrete"],
    )


def number_devices(run: StoredRun) -> RunDevices:
    """Number the GPUs of a run's traces; where there are none, those of its counters.

    A GPU keeps its CUDA ordinal where no other GPU of the run has it, else it gets the next
    free number: with one ``CUDA_VISIBLE_DEVICES`` per process, every GPU is ordinal 0.
    """
    facts: dict[int, DeviceFacts] = {}
    by_gpu: dict[tuple[int, int], int] = {}
    by_identity: dict[str, int] = {}
    order = {source.source: place for place, source in enumerate(run.manifest.by_name())}
    rows = sorted(run.read("devices").to_pylist(), key=lambda row: order[row["source"]])
    ordinals = {row["ordinal"] for row in rows}
    for row in rows:
        device = by_identity.get(row["identity"]) if row["identity"] else None
        if device is None:
            device = row["ordinal"]
            if device is None or device in facts:
                device = _next_free({*ordinals, *facts})
            facts[device] = _facts(device, row)
            if row["identity"]:
                by_identity[row["identity"]] = device
        by_gpu[row["source"], row["gpu"]] = device
    return RunDevices(facts=facts, by_gpu=by_gpu) if facts else _devices_of_counters(run)


def _next_free(taken: Iterable[int | None]) -> int:
    numbers = {number for number in taken if number is not None}
    return next(number for number in range(len(numbers) + 1) if number not in numbers)


def _devices_of_counters(run: StoredRun) -> RunDevices:
    """Take the devices from ncu's columns; a run without any device has one unknown GPU.

    Two compute capabilities under one ordinal are two GPUs, profiled on two machines.
    """
    columns = ["ordinal", "compute_capability", "device_name"]
    counters = run.read("counters").select(columns)
    names: dict[tuple[int | None, str | None], str | None] = {}
    for row in counters.group_by(columns, use_threads=False).aggregate([]).to_pylist():
        key = row["ordinal"], row["compute_capability"]
        names[key] = names.get(key) or row["device_name"]
    facts: dict[int, DeviceFacts] = {}
    by_counters: dict[tuple[int | None, str | None], int] = {}
    # what names its chip comes first; the rest belongs to the first GPU of its ordinal
    for ordinal, capability in sorted(names, key=lambda key: key[1] is None):
        device = ordinal or 0
        if capability is not None and device in facts:
            device = _next_free({*facts, *(key[0] for key in names)})
        by_counters[ordinal, capability] = device
        name = names[ordinal, capability]
        known = facts.get(device, DeviceFacts(device=device, name=name))
        facts[device] = replace(
            known,
            name=known.name or name,
            compute_capability=known.compute_capability or capability,
        )
    return RunDevices(facts=facts or {0: DeviceFacts(device=0)}, by_counters=by_counters)
