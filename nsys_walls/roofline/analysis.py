"""From a stored run to kernels between walls: the value that findings and reports read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nsys_walls.counters.flop import peaks_from_counters
from nsys_walls.counters.traffic import bandwidth_from_counters, ncu_time_ns_of
from nsys_walls.errors import Notice, UsageError
from nsys_walls.join.profiles import Profile, merge
from nsys_walls.roofline.chains import Chains, find_chains
from nsys_walls.roofline.copies import CopyTotal, total_copies
from nsys_walls.roofline.damaged import without_damage
from nsys_walls.roofline.joined import JoinedPoints, join_counters_only, join_traced
from nsys_walls.roofline.kernel import KernelPoint, build_kernels
from nsys_walls.roofline.layout import Layout, read_layout
from nsys_walls.roofline.points import Points, TracedTimes, read_points, read_profiles, times_of
from nsys_walls.roofline.range_forest import RangeForest
from nsys_walls.roofline.ranges import RangeTotals, total_ranges
from nsys_walls.roofline.ranks import Ranks, read_ranks
from nsys_walls.roofline.run_devices import RunDevices, number_devices
from nsys_walls.roofline.sampled_kernels import WORK, with_samples
from nsys_walls.roofline.selected import is_chosen, nothing_selected, resolve_selection
from nsys_walls.roofline.waits import Waits, read_waits
from nsys_walls.roofline.walls import CounterPeaks, DeviceWalls, WallOptions, resolve_walls
from nsys_walls.store.copy_times import copy_times
from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.gaps import Gap, IdleCause, find_gaps, idle_causes, longest_gaps
from nsys_walls.store.graph_launches import GraphLaunches, graph_launches
from nsys_walls.store.manifest import Manifest
from nsys_walls.store.sampling import DeviceSamples, Sampling, attribute_samples
from nsys_walls.store.selection import EVERYTHING, Selected, Selection
from nsys_walls.store.timeline import Timeline
from nsys_walls.store.times import GpuTime, ImpossibleLaunches

_GAPS_LISTED = 20


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
    time: GpuTime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What there is beside kernels; points are ids of kernels here.

    Attributes:
        copies: Copies and sets by device, operation and memory.
        idle: Idle time by device and cause, the longest first.
        gaps: The longest gaps.
        ranks: Processes on devices, and their collectives.
        samples: What became of the samples of GPU metrics, by device.
        waits: What the GPUs waited for while they were idle.
        graphs: CUDA graphs that hide their kernels; None where there are none.
        layout: How kernels that only move data come again.
        chains: Neighbours on a stream that pass tensors on.
    """

    copies: tuple[CopyTotal, ...] = ()
    idle: tuple[IdleCause, ...] = ()
    gaps: tuple[Gap, ...] = ()
    ranks: Ranks = field(default_factory=Ranks)
    samples: tuple[DeviceSamples, ...] = ()
    waits: Waits = field(default_factory=Waits)
    graphs: GraphLaunches | None = None
    layout: Layout = field(default_factory=Layout)
    chains: Chains = field(default_factory=Chains)


#: Summaries and counters know of nothing but kernels.
NOTHING = Surroundings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A run, or a selection of it, against its walls.

    Attributes:
        manifest: What the run consists of.
        options: What the user said of its walls.
        selection: What of it was looked at.
        devices: Its GPUs, by number.
        kernels: Its points, by falling time.
        ranges: Kernel time by NVTX range.
        around: Copies, idle time and ranks.
        unmatched: Profiled launches that no traced kernel could use.
        wall_ns: First start to last end of all, ns; None where no launches are known.
        impossible: Launches whose durations can't be right; ``point`` is a kernel's id.
        has_trace: Whether times come from an undisturbed run.
        warnings: What readers, points and walls had to say.
    """

    manifest: Manifest
    options: WallOptions
    selection: Selection
    devices: tuple[DeviceAnalysis, ...]
    kernels: tuple[KernelPoint, ...]
    ranges: RangeTotals
    around: Surroundings
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
    def span_ns(self) -> int | None:
        """First start to last end of the work of each device, summed, ns.

        Busy, copying and idle: the base of what removes idle time. None where no launches are
        known.
        """
        times = [device.time for device in self.devices if device.time is not None]
        return sum(time.span_ns for time in times) if times else None

    @property
    def measured_time_ratio(self) -> float | None:
        """Share of kernel time whose bytes and FLOP are known; None without any time."""
        if not self.kernel_ns:
            return None
        return sum(kernel.time_ns for kernel in self.kernels if kernel.is_measured) / self.kernel_ns


def analyse(run: StoredRun, options: WallOptions, selection: Selection = EVERYTHING) -> Analysis:
    """Join the launches of a run with its counters, and place every kernel.

    Args:
        run: The run.
        options: What the user says of its walls.
        selection: What of it to look at; the join always looks at all of it.

    Raises:
        UsageError: No wall of any device is known, or nothing is selected.
    """
    devices = number_devices(run)
    profiles = merge(read_profiles(run, devices))
    walls = _resolve_all(devices, profiles, options)
    points = read_points(run, devices)
    forest = RangeForest(run)
    shown = points if points.points else join_counters_only(profiles, devices).points
    selected = resolve_selection(selection, shown, devices, forest)
    has_work = bool(run.files("launches") or run.files("graphs"))
    with Timeline(
        run, points=points.by_kernel, devices=devices.by_gpu, selected=selected
    ) as timeline:
        joined = _join(points, profiles, devices, timeline)
        chosen = _choose(joined, selection, selected, timeline, has_work=has_work)
        sampled = run.files("gpu_metrics")
        sampling = attribute_samples(timeline.connection, WORK) if sampled else Sampling()
        impossible = timeline.impossible_launches()
        kernels = without_damage(build_kernels(chosen, walls, timeline), impossible)
        kernels = with_samples(kernels, sampling, walls)
        return Analysis(
            manifest=run.manifest,
            options=options,
            selection=selection,
            devices=_device_totals(walls, kernels.values(), timeline, selected),
            kernels=tuple(sorted(kernels.values(), key=lambda kernel: kernel.id)),
            ranges=total_ranges(forest, timeline.range_times(), kernels),
            around=replace(
                _surroundings(run, points, forest, kernels, walls, timeline),
                samples=sampling.devices,
            )
            if has_work
            else NOTHING,
            unmatched=joined.unmatched,
            wall_ns=timeline.wall_ns(),
            impossible=tuple(replace(row, point=kernels[row.point].id) for row in impossible),
            has_trace=has_work or bool(points.summary_times),
            warnings=(
                *(notice for source in run.manifest.sources for notice in source.warnings),
                *points.warnings,
                *(notice for device in walls.values() for notice in device.warnings),
            ),
        )


def _join(
    points: Points, profiles: Sequence[Profile], devices: RunDevices, timeline: Timeline
) -> JoinedPoints:
    """Join all that was traced: which counters fit a kernel does not depend on a selection."""
    times = {
        number: times_of(row) for number, row in timeline.launch_times(everything=True).items()
    }
    times |= points.summary_times
    if times:
        return join_traced(points, times, profiles, devices)
    return join_counters_only(profiles, devices)


def _choose(
    joined: JoinedPoints,
    selection: Selection,
    selected: Selected,
    timeline: Timeline,
    *,
    has_work: bool,
) -> JoinedPoints:
    """Keep the points of a selection, with the times of the launches in it.

    Raises:
        UsageError: No kernel is left.
    """
    if selection.is_everything:
        return joined
    times: Mapping[int, TracedTimes] = {
        number: times_of(row) for number, row in timeline.launch_times().items()
    }
    if not has_work and not (selection.nvtx or selection.window or selection.streams):
        # a summary or counters alone: they have kernels and devices, but no launches
        times = {
            number: row
            for number, row in joined.times.items()
            if is_chosen(joined.points.points[number], number, selected)
        }
    if not times and not timeline.has_selected_graphs():
        raise nothing_selected(selection, timeline.extent())
    return replace(joined, times=times)


def _surroundings(
    run: StoredRun,
    points: Points,
    forest: RangeForest,
    kernels: Mapping[int, KernelPoint],
    walls: Mapping[int, DeviceWalls],
    timeline: Timeline,
) -> Surroundings:
    find_gaps(timeline)
    ids: dict[int | None, int] = {number: kernel.id for number, kernel in kernels.items()}
    copies = total_copies(copy_times(timeline.rows), walls)
    return Surroundings(
        copies=copies,
        idle=idle_causes(timeline),
        gaps=tuple(
            replace(
                gap,
                point_before=ids.get(gap.point_before),
                point_after=ids.get(gap.point_after),
            )
            for gap in longest_gaps(timeline, _GAPS_LISTED)
        ),
        ranks=read_ranks(timeline, run.manifest, points, kernels),
        waits=read_waits(timeline, forest, kernels),
        graphs=graph_launches(timeline),
        layout=read_layout(timeline, run, kernels, copies),
        chains=find_chains(timeline, kernels),
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
    walls: Mapping[int, DeviceWalls],
    kernels: Collection[KernelPoint],
    timeline: Timeline,
    selected: Selected,
) -> tuple[DeviceAnalysis, ...]:
    times = timeline.device_times()
    return tuple(
        DeviceAnalysis(
            walls=walls[device],
            launches=sum(row.times.launches for row in kernels if row.key.device == device),
            kernel_ns=sum(row.time_ns for row in kernels if row.key.device == device),
            time=times.get(device),
        )
        for device in sorted(walls)
        if selected.devices is None or device in selected.devices
    )
