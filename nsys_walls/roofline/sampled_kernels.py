"""Give kernels the samples of GPU metrics that were taken while they ran alone."""

from collections.abc import Mapping
from dataclasses import replace

from nsys_walls.roofline.kernel import KernelPoint
from nsys_walls.roofline.sampled import Sampled, sampled
from nsys_walls.roofline.walls import DeviceWalls
from nsys_walls.store.sampling import Sampling
from nsys_walls.texts import text
from nsys_walls.units import duration

#: All work of the GPUs, whatever is selected: only what is selected gets samples.
WORK = """
SELECT source, device, start_ns, end_ns, CASE WHEN selected THEN point END AS point
FROM every_launch
UNION ALL SELECT source, device, start_ns, end_ns, NULL FROM every_copy
UNION ALL SELECT source, device, start_ns, end_ns, NULL FROM every_graph
"""


def with_samples(
    kernels: Mapping[int, KernelPoint], sampling: Sampling, walls: Mapping[int, DeviceWalls]
) -> dict[int, KernelPoint]:
    """Add samples to the kernels that have enough of them.

    Without counters, a sampled bandwidth near the wall is enough to stand at it.

    Args:
        kernels: Kernels by point.
        sampling: The samples.
        walls: Walls by device.
    """
    periods = {row.device: row.period_ns for row in sampling.devices}
    found = dict(kernels)
    for totals in sampling.points:
        kernel = kernels[totals.point]
        device = walls[kernel.key.device]
        samples, _ = sampled(
            totals.means,
            samples=totals.samples,
            period_ns=periods[kernel.key.device],
            median_ns=kernel.times.typical_ns or 0.0,
            bandwidth_bytes_per_s=device.walls.bandwidth_bytes_per_s,
            mig=device.mig,
        )
        if samples is not None:
            found[totals.point] = _with(kernel, samples, device.walls.near_ratio)
    return found


def _with(kernel: KernelPoint, samples: Sampled, near_ratio: float) -> KernelPoint:
    if kernel.bytes_per_s is not None or samples.bandwidth_ratio is None:
        return replace(kernel, sampled=samples)
    note = text("note.sampled", samples=samples.samples, period=duration(samples.period_ns))
    at_wall = kernel.wall == "unmeasured" and samples.bandwidth_ratio >= near_ratio
    return replace(
        kernel,
        sampled=samples,
        wall="bandwidth" if at_wall else kernel.wall,
        notes=(*kernel.notes, note),
    )
