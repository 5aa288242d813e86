"""Number the GPUs of a run, and collect what the sources say about each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nsys_walls.roofline.walls import DeviceFacts
from nsys_walls.store.dataset import StoredRun


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDevices:
    """The GPUs of a run.

    Attributes:
        facts: What is known of each, by number.
        by_gpu: (source, gpu) of the store to number.
    """

    facts: Mapping[int, DeviceFacts]
    by_gpu: Mapping[tuple[int, int], int]

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
    rows = run.read("devices").to_pylist()
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
    return RunDevices(facts=facts or _devices_of_counters(run), by_gpu=by_gpu)


def _next_free(taken: Iterable[int | None]) -> int:
    numbers = {number for number in taken if number is not None}
    return next(number for number in range(len(numbers) + 1) if number not in numbers)


def _devices_of_counters(run: StoredRun) -> dict[int, DeviceFacts]:
    """Take the devices from ncu's columns; a run without any device has one unknown GPU."""
    counters = run.read("counters").select(["ordinal", "compute_capability", "device_name"])
    facts: dict[int, DeviceFacts] = {}
    for row in counters.group_by(counters.column_names).aggregate([]).to_pylist():
        device = row["ordinal"] or 0
        known = facts.get(device)
        facts[device] = DeviceFacts(
            device=device,
            name=row["device_name"] or (known.name if known else None),
            compute_capability=row["compute_capability"]
            or (known.compute_capability if known else None),
        )
    return facts or {0: DeviceFacts(device=0)}
