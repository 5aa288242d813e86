"""Rows of the document beside kernels: ranges as a tree, copies, idle time, ranks, samples."""

from typing import TypedDict


class Selected(TypedDict):
    """What of the run is shown, as it was typed."""

    nvtx: list[str]
    window: str | None
    devices: list[int]
    streams: list[int]
    kernel: str | None


class RangeNodeRow(TypedDict):
    """Ranges of one path of names; a node stands behind the one around it."""

    node: int
    parent: int | None
    depth: int
    name: str
    launches: int
    time_ns: int
    self_time_ns: int
    time_ratio: float
    time_by_wall_ns: dict[str, int]
    #: ids of the kernels with a launch inside, rising
    kernels: list[int]


class Copy(TypedDict):
    """Copies or sets of one device, operation and pair of memories."""

    device: int
    operation: str | None
    source_memory: str | None
    target_memory: str | None
    copies: int
    bytes: int | None
    time_ns: int
    #: part of ``time_ns`` in which kernels ran
    hidden_ns: int | None
    #: time in which any of them ran: copies at once count once; rates are over it
    union_ns: int
    #: part of ``union_ns`` in which no kernel or graph ran
    exposed_ns: int | None
    bytes_per_s: float | None
    median_bytes_per_s: float | None
    #: what passed the wall: copies inside a device read and write it
    traffic_bytes: int | None
    wall: str | None
    wall_bytes_per_s: float | None
    wall_ratio: float | None
    wall_from: str | None
    notes: list[str]


class IdleRow(TypedDict):
    """Gaps of one device that have one cause."""

    device: int
    cause: str
    call: str | None
    gaps: int
    time_ns: int
    median_ns: float
    longest_ns: int


class GapRow(TypedDict):
    """One of the longest gaps; kernels are ids."""

    device: int
    start_ns: int
    duration_ns: int
    cause: str
    call: str | None
    kernel_before: int | None
    kernel_after: int | None


class Idle(TypedDict):
    """Idle time: all of it by cause, and its longest gaps."""

    by_cause: list[IdleRow]
    longest: list[GapRow]


class SlowRow(TypedDict):
    """Launches of one collective that took many times its median."""

    kernel: int
    launches: int
    time_ns: int
    median_ns: float
    max_ns: int


# "class" is a keyword, so keys of that name need the functional form
Classed = TypedDict("Classed", {"class": str})


class CollectiveRow(Classed):
    """Collectives of one class; ``waiting_ns`` is time above the fastest rank."""

    kernels: list[int]
    ranks: int
    launches: int
    time_ns: int
    waiting_ns: int | None
    slow: SlowRow | None


class RankRow(TypedDict):
    """One process on one device."""

    rank: int
    #: place of its file in ``run.sources``
    source: int
    device: int
    launches: int
    span_ns: int
    kernel_ns: int
    busy_ns: int
    copy_ns: int
    idle_ns: int
    communication_ns: int
    waiting_ns: int | None


class Sampled(TypedDict):
    """GPU metrics that nsys sampled while a kernel ran alone; ratios are of cycles."""

    samples: int
    period_ns: float
    bytes_per_s: float | None
    bandwidth_ratio: float | None
    dram_read_ratio: float | None
    dram_write_ratio: float | None
    sm_active_ratio: float | None
    tensor_active_ratio: float | None
    #: whether FP16 outside of tensor cores counts as tensor activity
    tensor_includes_fp16: bool
    clock_hz: float | None


class Samples(TypedDict):
    """What became of the samples of GPU metrics of one device."""

    device: int
    period_ns: int | None
    samples: int
    attributed: int
    #: several launches, copies or graphs ran
    shared: int
    #: nothing ran
    idle: int
    #: one thing ran, but not all the time, or was no launch that is shown
    partial: int


class Around(TypedDict):
    """The keys of the document that this module fills."""

    selection: Selected | None
    range_tree: list[RangeNodeRow]
    range_nodes: int
    copies: list[Copy]
    idle: Idle
    communication: list[CollectiveRow]
    ranks: list[RankRow]
    #: (max - min) / median over ranks
    rank_spread: dict[str, float | None]
    sampling: list[Samples]
