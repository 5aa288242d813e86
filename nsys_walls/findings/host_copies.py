"""NW502: copies between host and device run while no kernel does.

Meaning:
    A copy that no kernel hides is on the critical path. Why it takes long differs:

    - many small copies: each costs its latency, whatever the link could carry.
    - pageable host memory: the driver copies through a pinned buffer of its own, and the call
      blocks.
    - managed memory: pages move when they are touched.
    - copies far below the rate of their link.
    - copies at the rate of their link: only fewer bytes, or kernels beside them, help.

    Copies between GPUs count where they carry no more than PCIe does, although the part has
    NVLink.

Evidence:
    Copies of one direction and kind of memory, of all devices, whose time outside of all kernels
    and CUDA graphs makes up 0.5 % of the span, the time from the first to the last work of a
    device, summed over devices. Copies that run at once count once, and share the rate of their
    link. Small means up to 64 KiB on average, below half the rate of the link; many means 10, as
    one copy in place of 10 saves nine tenths of their latency. The saving is an
    upper bound, all of the time that no kernel hides, set against the span; for copies between
    GPUs, what is above the time at NVLink's rate. On GPUs that share the host's memory the rule
    does not speak.

Abstains:
    Where the trace has no kernels beside the copies, so that it is not known what hides them.

Try:
    Copy less and in larger pieces, from pinned memory, asynchronously on a stream of its own,
    so that kernels run meanwhile.
"""

from collections.abc import Iterator

from nsys_walls.findings import Abstention, Finding, Rule, speedup_bound
from nsys_walls.roofline.analysis import Analysis, DeviceAnalysis
from nsys_walls.roofline.copies import CopyTotal
from nsys_walls.roofline.copy_groups import CopyGroup, group_copies
from nsys_walls.roofline.listed import sentences
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent, si

_SMALL_RATIO = 0.005
# PCIe 3.0 to 5.0 carries this in 1 to 4 µs, about what the smallest copy takes.
_SMALL_BYTES = 64 * 1024
# One copy in place of as many small ones saves nine tenths of their latency.
_MANY = 10
# From here on, the rate of a copy is that of its way, not of its latency.
_LARGE_BYTES = 1024 * 1024
_FAR_BELOW = 0.5
_WITH_HOST = frozenset({"host_to_device", "device_to_host"})
_MEMORIES = frozenset({"pageable", "pinned", "managed"})
# Kinds whose advice alone is their own.
_TITLES = {"unrated": "exposed", "few": "exposed"}
_LINK_NAMES = {"pcie": "PCIe", "nvlink": "NVLink", "c2c": "NVLink-C2C"}


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """Look at copies between host and devices, and between devices."""
    span_ns, unknown_ns = analysis.span_ns, 0
    if not span_ns:
        return
    for group in _groups(analysis):
        if group.exposed_ns is None:
            unknown_ns += group.union_ns
        elif group.exposed_ns < _SMALL_RATIO * span_ns:
            continue
        elif group.operation in _WITH_HOST:
            yield _exposed(group, group.exposed_ns, span_ns)
        else:
            yield from _peers(analysis, group, group.exposed_ns, span_ns)
    # both directions may run at once
    unknown_ns = min(unknown_ns, span_ns)
    if unknown_ns >= _SMALL_RATIO * span_ns:
        time, share = duration(unknown_ns), percent(unknown_ns / span_ns)
        yield Abstention(code=RULE.code, reason=text("NW502.no_kernels", time=time, share=share))


def _groups(analysis: Analysis) -> tuple[CopyGroup, ...]:
    """Put copies together that cross a link."""
    devices = {device.walls.facts.device: device for device in analysis.devices}
    copies = [
        row
        for row in analysis.around.copies
        if (row.operation in _WITH_HOST or row.operation == "peer_to_peer")
        and _crosses_link(row, devices[row.device])
    ]
    return group_copies(copies)


def _crosses_link(row: CopyTotal, device: DeviceAnalysis) -> bool:
    """Tell copies over a link from those inside the one memory of a GPU and its host."""
    if row.link is None:
        return device.walls.facts.discrete is not False
    return row.link.kind != "dram"


def _kind(group: CopyGroup) -> str:
    """Say why copies between host and device take long; a text has this name."""
    ratio = group.link_ratio
    if group.host_memory == "managed":
        return "managed"
    is_small = group.mean_bytes is not None and group.mean_bytes <= _SMALL_BYTES
    if is_small and (ratio is None or ratio < _FAR_BELOW):
        return "small" if group.copies >= _MANY else "few"
    if group.host_memory == "pageable":
        return "pageable"
    if ratio is None:
        return "unrated"
    return "slow" if ratio < _FAR_BELOW else "exposed"


def _exposed(group: CopyGroup, exposed_ns: int, span_ns: int) -> Finding:
    """Report copies between host and device that no kernel hides."""
    kind, way = _kind(group), text(f"plain.{group.operation}")
    memory = group.host_memory if group.host_memory in _MEMORIES else "unknown"
    time, exposed = duration(group.union_ns), duration(exposed_ns)
    message = text(
        "NW502.exposed_all" if time == exposed else "NW502.exposed",
        copies=group.copies,
        way=way,
        memory=text(f"NW502.memory_{memory}"),
        time=time,
        exposed=exposed,
        share=percent(exposed_ns / span_ns),
    )
    return Finding(
        code=RULE.code,
        title=text(f"NW502.title_{_TITLES.get(kind, kind)}", way=way),
        message=sentences([message, *_at_once(group), *_rate(group, kind)]),
        advice=text(f"NW502.advice_{kind}"),
        kernels=(),
        time_ratio=0.0,
        saving_ns=float(exposed_ns),
        # no kernel runs meanwhile: it is a part of the span, not of the busy time
        speedup_bound=speedup_bound(span_ns, exposed_ns),
        evidence=_evidence(group, span_ns),
        key=f"{group.operation} {memory}",
    )


def _at_once(group: CopyGroup) -> Iterator[Text]:
    """Say why the time is less than the sum that a table of copies shows."""
    if group.union_ns < group.time_ns:
        yield text("NW502.at_once", time=duration(group.time_ns))


def _rate(group: CopyGroup, kind: str) -> Iterator[Text]:
    """Say what copies reach, as far as it is known."""
    if group.mean_bytes is not None and kind in {"small", "few"}:
        yield text(f"NW502.{kind}", size=si(group.mean_bytes, "B"))
    elif group.bytes_per_s is not None:
        rate, link = si(group.bytes_per_s, "B/s"), group.rows[0].link
        if link is None or group.link_ratio is None or group.link_ns is None:
            yield text("NW502.rate", rate=rate)
            return
        yield text(
            "NW502.link",
            rate=rate,
            ratio=percent(group.link_ratio),
            link=_LINK_NAMES[link.kind],
            time=duration(group.link_ns),
        )


def _peers(
    analysis: Analysis, group: CopyGroup, exposed_ns: int, span_ns: int
) -> Iterator[Finding]:
    """Report large copies between GPUs that are no faster than PCIe, where NVLink would be."""
    pcie_bytes_per_s = _slowest_pcie(analysis, group)
    rate, link_ns, size = group.bytes_per_s, group.link_ns, group.mean_bytes
    if pcie_bytes_per_s is None or rate is None or link_ns is None or size is None:
        return
    if size < _LARGE_BYTES or rate > pcie_bytes_per_s:
        return
    message = text(
        "NW502.peer",
        copies=group.copies,
        exposed=duration(exposed_ns),
        share=percent(exposed_ns / span_ns),
        rate=si(rate, "B/s"),
        pcie=si(pcie_bytes_per_s, "B/s"),
        time=duration(link_ns),
    )
    saving_ns = min(float(exposed_ns), group.union_ns - link_ns)
    yield Finding(
        code=RULE.code,
        title=text("NW502.title_peer"),
        message=sentences([message, *_at_once(group)]),
        advice=text("NW502.advice_peer"),
        kernels=(),
        time_ratio=0.0,
        saving_ns=saving_ns,
        speedup_bound=speedup_bound(span_ns, saving_ns),
        evidence=_evidence(group, span_ns) | {"pcie_bytes_per_s": pcie_bytes_per_s},
        key="peer_to_peer",
    )


def _slowest_pcie(analysis: Analysis, group: CopyGroup) -> float | None:
    """Give the lowest PCIe rate of the devices of a group, byte/s; None unless all have NVLink."""
    if any(row.link is None or row.link.kind != "nvlink" for row in group.rows):
        return None
    devices = {row.device for row in group.rows}
    numbers = [
        device.walls.hardware.pcie_bytes_per_s
        for device in analysis.devices
        if device.walls.facts.device in devices and device.walls.hardware
    ]
    return min((number.value for number in numbers if number), default=None)


def _evidence(group: CopyGroup, span_ns: int) -> dict[str, float | str | None]:
    return {
        "span_ns": span_ns,
        "operation": group.operation,
        "source_memory": group.rows[0].source_memory,
        "target_memory": group.rows[0].target_memory,
        "copies": group.copies,
        "time_ns": group.time_ns,
        "union_ns": group.union_ns,
        "hidden_ns": group.hidden_ns,
        "exposed_ns": group.exposed_ns,
        "bytes": group.bytes,
        "mean_bytes": group.mean_bytes,
        "bytes_per_s": group.bytes_per_s,
        "link_ns": group.link_ns,
        "link_ratio": group.link_ratio,
    }


RULE = Rule(code="NW502", name="host-copies", check=check)
