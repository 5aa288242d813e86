"""What samples of GPU metrics say about a kernel: plain numbers in, plain numbers out.

They are taken in the undisturbed run, at its own clocks and with its own caches, so they stand
beside the counters of Nsight Compute. They say nothing about kernels that are short against the
distance of samples, and nothing about FLOP.

100 % of DRAM read and of DRAM write are the same: "the ratio of cycles the DRAM interface was
active reading data to the elapsed cycles" (and "writing"), Nsight Systems User Guide, "GPU
Metrics", "Available metrics". Both are shares of the cycles of one interface, so they add up,
and their sum is the part of its peak bandwidth that was reached.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nsys_walls.units import counted, duration

#: A launch must last this many periods: only then does it surely contain a sample with a whole
#: period before it and behind it, see `nsys_walls.store.sampling`.
LEAST_PERIODS = 3

#: Samples of a kernel that are enough. Of one launch that lasts five periods they are three
#: fifths; fewer would be less than half of a single launch, and might not be typical of it.
LEAST_SAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """Means over the samples in which a kernel ran alone; every sample counts alike.

    Attributes:
        samples: How many.
        period_ns: Distance of samples, ns.
        dram_read_ratio: Part of the DRAM interface's cycles that read; None where not sampled.
        dram_write_ratio: Part of its cycles that wrote; None where not sampled.
        bandwidth_ratio: Sum of the two: part of the peak bandwidth.
        bytes_per_s: DRAM traffic, byte/s: that part of the bandwidth wall.
        sm_active_ratio: Part of the cycles in which an SM had a warp, mean of all SMs.
        tensor_active_ratio: Part of the cycles in which the tensor pipes were active. At the
            clock that ran: a GPU below its boost clock is this much busy, but slower.
        tensor_includes_fp16: Whether FP16 outside of tensor cores counts in that ratio: TU10x has
            one counter for both.
        clock_hz: Clock of the SMs, Hz; None where not sampled.
    """

    samples: int
    period_ns: float
    dram_read_ratio: float | None
    dram_write_ratio: float | None
    bandwidth_ratio: float | None
    bytes_per_s: float | None
    sm_active_ratio: float | None
    tensor_active_ratio: float | None
    tensor_includes_fp16: bool
    clock_hz: float | None


def sampled(
    means: Mapping[str, float],
    *,
    samples: int,
    period_ns: float | None,
    median_ns: float,
    bandwidth_bytes_per_s: float | None,
    mig: str | None = None,
) -> tuple[Sampled | None, str | None]:
    """Make a kernel's samples into ratios, if there are enough of them.

    Args:
        means: Mean of each metric by its name in the store: percent, and Hz for the clock.
        samples: How many samples these are means of.
        period_ns: Distance of samples of its device, ns; None where none is known.
        median_ns: Median duration of its launches, ns.
        bandwidth_bytes_per_s: Bandwidth wall of its device, byte/s.
        mig: MIG slice that its device is, or None for a whole card.

    Returns:
        The samples, or None and the reason.
    """
    if mig is not None:
        return None, f"its GPU is a MIG slice ({mig}), and samples may be of the whole card"
    if period_ns is None:
        return None, "its GPU was not sampled, or only once"
    reason = _why_not(samples, period_ns, median_ns)
    if reason is not None:
        return None, reason
    read, write = _ratio(means, "dram_read"), _ratio(means, "dram_write")
    bandwidth_ratio = None if read is None or write is None else read + write
    tensor, either = _ratio(means, "tensor_active"), _ratio(means, "tensor_or_fp16_active")
    kernel = Sampled(
        samples=samples,
        period_ns=period_ns,
        dram_read_ratio=read,
        dram_write_ratio=write,
        bandwidth_ratio=bandwidth_ratio,
        bytes_per_s=_product(bandwidth_ratio, bandwidth_bytes_per_s),
        sm_active_ratio=_ratio(means, "sm_active"),
        tensor_active_ratio=either if tensor is None else tensor,
        tensor_includes_fp16=tensor is None and either is not None,
        clock_hz=means.get("gpc_clock"),
    )
    return kernel, None


def _why_not(samples: int, period_ns: float, median_ns: float) -> str | None:
    if median_ns < LEAST_PERIODS * period_ns:
        return (
            f"its launches last {duration(median_ns)}, less than {LEAST_PERIODS} times the "
            f"{duration(period_ns)} between samples"
        )
    if samples < LEAST_SAMPLES:
        return f"only {counted(samples, 'sample')} of the {LEAST_SAMPLES} needed while it ran alone"
    return None


def _ratio(means: Mapping[str, float], metric: str) -> float | None:
    percent = means.get(metric)
    return None if percent is None else percent / 100


def _product(ratio: float | None, wall: float | None) -> float | None:
    return None if ratio is None or wall is None else ratio * wall
