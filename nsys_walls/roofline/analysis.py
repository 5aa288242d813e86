"""From a stored run to kernels between walls: the value that findings and reports read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from nsys_walls.counters.flop import peaks_from_counters
from nsys_walls.counters.traffic import bandwidth_from_counters, ncu_time_ns_of
from nsys_walls.errors import Notice, UsageError
from nsys_walls.join.profiles import Profile, merge
from nsys_walls.roofline.joined import join_counters_only, join_traced
from nsys_walls.roofline.kernel import KernelPoint, build_kernels
from nsys_walls.roofline.points import read_points, read_profiles, times_of
from nsys_walls.roofline.ranges import RangeTotal, total_ranges
from nsys_walls.roofline.run_devices import RunDevices, number_devices
from nsys_walls.roofline.walls import CounterPeaks, DeviceWalls, WallOptions, resolve_walls
from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.manifest import Manifest
from nsys_walls.store.timeline import DeviceTime, ImpossibleLaunches, Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceAnalysis:
    """One GPU: its walls and its time.

    Attributes:
        walls: The walls and where each number came from.
        launches: Kernel launches.
        kernel_ns: Plain sum of kernel time, ns.
        time: Accounting of its time; None where only summaries or counters are there.
    """

    walls: DeviceWalls
    launches: int
    kernel_ns: int
    time: DeviceTime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A run against its walls.

    Attributes:
        manifest: What the run consists of.
        devices: Its GPUs, by number.
        kernels: Its points, by falling time.
        ranges: Kernel time by NVTX range name, by falling time.
        unmatched: Profiled launches that no traced kernel could use.
        wall_ns: First start to last end of all, ns; None where no launches are known.
        impossible: Launches whose durations can't be right; ``point`` is a kernel's id.
        has_trace: Whether times come from an undisturbed run.
        warnings: What readers, points and walls had to say.
    """

    manifest: Manifest
    devices: tuple[DeviceAnalysis, ...]
    kernels: tuple[KernelPoint, ...]
    ranges: tuple[RangeTotal, ...]
    unmatched: tuple[Profile, ...]
    wall_ns: int | None
    impossible: tuple[ImpossibleLaunches, ...]
    has_trace: bool
    warnings: tuple[Notice, ...]

    @property
    def kernel_ns(self) -> int:
        """Plain sum of the time of all kernels, ns."""
        return sum(kernel.time_ns for kernel in self.kernels)

    @property
    def busy_ns(self) -> int:
        """Union of kernels over each device, ns; their sum where no launches are known."""
        times = [device.time for device in self.devices if device.time is not None]
        return sum(time.busy_ns for time in times) if times else self.kernel_ns

    @property
    def measured_time_ratio(self) -> float | None:
        """Share of kernel time whose bytes and FLOP are known; None without any time."""
        if not self.kernel_ns:
            return None
        return sum(kernel.time_ns for kernel in self.kernels if kernel.is_measured) / self.kernel_ns


def analyse(run: StoredRun, options: WallOptions) -> Analysis:
    """Join the launches of a run with its counters, and place every kernel.

    Raises:
        UsageError: No wall of any device is known.
    """
    devices = number_devices(run)
    profiles = merge(read_profiles(run, devices))
    walls = _resolve_all(devices, profiles, options)
    points = read_points(run, devices)
    with Timeline(run, points=points.by_kernel, devices=devices.by_gpu) as timeline:
        times = {number: times_of(row) for number, row in timeline.launch_times().items()}
        times |= points.summary_times
        joined = (
            join_traced(points, times, profiles, devices)
            if times
            else join_counters_only(profiles, devices)
        )
        kernels = build_kernels(joined, walls, timeline)
        return Analysis(
            manifest=run.manifest,
            devices=_device_totals(walls, kernels.values(), timeline),
            kernels=tuple(sorted(kernels.values(), key=lambda kernel: kernel.id)),
            ranges=total_ranges(run, timeline, kernels),
            unmatched=joined.unmatched,
            wall_ns=timeline.wall_ns(),
            impossible=tuple(
                replace(row, point=kernels[row.point].id) for row in timeline.impossible_launches()
            ),
            has_trace=bool(times),
            warnings=(
                *(notice for source in run.manifest.sources for notice in source.warnings),
                *points.warnings,
                *(notice for device in walls.values() for notice in device.warnings),
            ),
        )


def _resolve_all(
    devices: RunDevices, profiles: Sequence[Profile], options: WallOptions
) -> dict[int, DeviceWalls]:
    walls = {
        device: resolve_walls(facts, options, _counter_peaks(device, facts.clock_hz, profiles))
        for device, facts in devices.facts.items()
    }
    if not any(
        found.walls.bandwidth_bytes_per_s or found.walls.peak_flop_per_s for found in walls.values()
    ):
        message = (
            "the input does not say which GPU it ran on, so no wall is known: "
            "name it with `--hw` (such as --hw a100; `nsys-walls hw` lists them)."
        )
        raise UsageError("no-hardware", message)
    return walls


def _counter_peaks(
    device: int, clock_hz: float | None, profiles: Sequence[Profile]
) -> CounterPeaks:
    """Take peaks from ncu's own numbers; the longest profiled launch is the steadiest."""
    own = [profile for profile in profiles if profile.device in {device, None}]
    steadiest = max(own, key=lambda row: ncu_time_ns_of(row.values) or 0.0, default=None)
    if steadiest is None:
        return CounterPeaks(bandwidth_bytes_per_s=None, peak_flop_per_s={})
    return CounterPeaks(
        bandwidth_bytes_per_s=bandwidth_from_counters(steadiest.values),
        peak_flop_per_s=peaks_from_counters(steadiest.values, clock_hz) if clock_hz else {},
    )


def _device_totals(
    walls: Mapping[int, DeviceWalls], kernels: Collection[KernelPoint], timeline: Timeline
) -> tuple[DeviceAnalysis, ...]:
    times = {row.device: row for row in timeline.device_times()}
    return tuple(
        DeviceAnalysis(
            walls=walls[device],
            launches=sum(row.times.launches for row in kernels if row.key.device == device),
            kernel_ns=sum(row.time_ns for row in kernels if row.key.device == device),
            time=times.get(device),
        )
        for device in sorted(walls)
    )
