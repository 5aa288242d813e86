"""NW202: neighbouring kernels pass tensors through DRAM that one kernel would keep on the chip.

Meaning:
    Memory-side kernels that follow each other on a stream write what the next one reads. One
    kernel in their place would neither write it nor read it again, and is one launch. The first
    of a chain may be a GEMM, a convolution or attention, with the rest as its epilogue. Each
    chain has an id, such as C1, for `nsys-walls whatif --fuse C1`.

Evidence:
    The same kernels in the same order, each time on one stream of one process, twice or more over
    all GPUs of the run, as far as each passes on a tenth of its traffic; longer rows than 8 are
    cut where least passes, and a kernel that follows itself works on another tensor. What two
    neighbours pass on is the smaller of the measured DRAM write of the first and the measured DRAM
    read of the second, counted once as not written and once as not read. That is an upper bound:
    they may be different tensors, others may need what was written, and ncu reads with empty
    caches. A kernel at a wall saves its time in the proportion of these bytes to its traffic, and
    so does a GEMM, a convolution or attention in front; on the compute side, it saves what they
    take at the bandwidth wall. Any other kernel before no wall may save all of its time, since
    fewer bytes say nothing of it. All of them together stay above the floor of one kernel that
    moves the rest; launch gaps are not in it.

    Two neighbours are blocked, and save nothing, where between them the host waits for the GPU,
    allocates or frees memory, the stream waits for an event, a copy or set runs on it, one is in a
    CUDA graph and the other not, or the stream idles longer than 100 µs and than either kernel.
    Where the trace has no synchronisations, a call that waits for a device counts for all threads
    of its process. Pairs that the same thing
    keeps apart are one finding. What is blocked only at times counts there as often as it is, and
    in a chain as often as it is not.

Abstains:
    Where launches are not known one by one, where DRAM reads and writes were not counted apart, or
    where 10 % of kernel time or more has no usable counters. Without host calls in the trace,
    waits can't be seen, and that is said.

Try:
    `torch.compile`, the epilogues of cuBLASLt or CUTLASS, or a kernel of your own (Triton). First
    make sure that only the next kernel reads what is written, and that the rows or tiles that each
    works on fit.
"""

from collections.abc import Iterator, Mapping

from nsys_walls.findings import Abstention, Finding, Rule, command, speedup_bound
from nsys_walls.roofline.analysis import Analysis
from nsys_walls.roofline.chains import Blocked, BlockedPair, Chain
from nsys_walls.roofline.coverage import SMALLEST_RATIO, unknown_ratio
from nsys_walls.roofline.fused import has_both_sides, may_follow
from nsys_walls.roofline.listed import sentences
from nsys_walls.roofline.savings import saving_of
from nsys_walls.texts import Text, text
from nsys_walls.units import duration, percent, si

_ARROW = " → "
_PAIRS_NAMED = 5


def check(analysis: Analysis) -> Iterator[Finding | Abstention]:
    """List chains that could be fused, then what could be if nothing were between."""
    if not any(device.time for device in analysis.devices):
        if analysis.kernel_ns:
            yield Abstention(code=RULE.code, reason=text("NW202.no_launches"))
        return
    chains = analysis.around.chains
    for key, chain in chains.by_id.items():
        yield _fusible(analysis, chain, key)
    for key, group in chains.blocked_by_id.items():
        yield _blocked(analysis, group, key)
    yield from _abstention(analysis)


def _abstention(analysis: Analysis) -> Iterator[Abstention]:
    """Say what could not be looked at: much time without counters, or with half of them."""
    together_ns = sum(
        kernel.time_ns
        for kernel in analysis.kernels
        if may_follow(kernel) and not has_both_sides(kernel)
    )
    chains = analysis.around.chains
    unknown = None if chains.free or chains.blocked else unknown_ratio(analysis)
    if together_ns and together_ns >= SMALLEST_RATIO * analysis.kernel_ns:
        share = percent(together_ns / analysis.kernel_ns)
        yield Abstention(code=RULE.code, reason=text("NW202.together", share=share))
    elif unknown is not None:
        reason = text("NW202.no_counters", share=percent(unknown))
        yield Abstention(code=RULE.code, reason=reason)


def _fusible(analysis: Analysis, chain: Chain, key: str) -> Finding:
    kernels = {kernel.id: kernel for kernel in analysis.kernels}
    saving_ns = saving_of(analysis, {one.kernels[0]: one.saving_ns for one in chain.devices})
    is_epilogue = not may_follow(kernels[chain.kernels[0]])
    return Finding(
        code=RULE.code,
        title=text(
            "NW202.title" if len(chain.devices) == 1 else "NW202.title_gpus",
            chain=key,
            launches=len(chain.kernels),
            # one of them may come several times in a chain
            kernels=len(set(chain.kernels)),
            gpus=len(chain.devices),
        ),
        message=sentences(list(_sentences(analysis, chain, saving_ns))),
        advice=text(
            "NW202.advice_epilogue" if is_epilogue else "NW202.advice",
            command=command(analysis, "whatif", "--fuse", key),
        ),
        kernels=chain.ids,
        time_ratio=chain.time_ns / analysis.kernel_ns,
        saving_ns=saving_ns,
        speedup_bound=speedup_bound(analysis.busy_ns, saving_ns),
        evidence={
            "gpus": len(chain.devices),
            "occurrences": chain.occurrences,
            "chain_time_ns": chain.time_ns,
            "not_moved_bytes_each": chain.not_moved_bytes_each,
            "not_moved_bytes": chain.not_moved_bytes,
            "not_moved_at_wall_ns": chain.at_wall_ns,
            "no_wall_time_ns": chain.no_wall_ns,
            "fused_floor_ns": chain.floor_ns,
            "launches_saved": chain.launches_saved,
        },
        key=key,
    )


def _sentences(analysis: Analysis, chain: Chain, saving_ns: float) -> Iterator[Text]:
    names = {kernel.id: kernel.name for kernel in analysis.kernels}
    yield text(
        "NW202.message",
        chain=_ARROW.join(names[number] for number in chain.kernels),
        occurrences=chain.occurrences,
        time=duration(chain.time_ns),
        share=percent(chain.time_ns / analysis.kernel_ns),
    )
    if len(chain.devices) > 1:
        yield text("NW202.gpus", gpus=len(chain.devices))
    yield text(
        "NW202.not_moved",
        bytes=si(chain.not_moved_bytes_each, "B"),
        total=si(chain.not_moved_bytes, "B"),
        wall=duration(chain.at_wall_ns),
        saving=duration(saving_ns),
        launches=chain.launches_saved,
    )
    if chain.no_wall_ns:
        yield text("NW202.no_wall", time=duration(chain.no_wall_ns), floor=duration(chain.floor_ns))
    if not analysis.around.chains.sees_host:
        yield text("NW202.unseen")


def _blocked(analysis: Analysis, group: Blocked, key: str) -> Finding:
    names = {kernel.id: kernel.name for kernel in analysis.kernels}
    blocked = sum(pair.blocked for pair in group.pairs)
    occurrences = sum(pair.occurrences for pair in group.pairs)
    clauses = [clause for pair in group.pairs[:_PAIRS_NAMED] for clause in _clauses(pair, names)]
    rest = len(group.pairs) - _PAIRS_NAMED
    if rest > 0:
        clauses.append(text("NW202.more", pairs=rest))
    return Finding(
        code=RULE.code,
        title=text(
            "NW202.title_blocked",
            chain=key,
            pairs=len(group.pairs),
            blocker=text(f"NW202.{group.blocker}"),
        ),
        message=text(
            "NW202.blocked",
            pairs=len(group.pairs),
            blocked=blocked,
            occurrences=occurrences,
            bytes=si(group.not_moved_bytes, "B"),
            saving=duration(group.saving_ns),
        ),
        advice=text(f"NW202.advice_{group.blocker}"),
        kernels=tuple(dict.fromkeys(number for pair in group.pairs for number in pair.ids)),
        time_ratio=group.time_ns / analysis.kernel_ns,
        blockers=tuple(clauses),
        evidence={
            "pairs": len(group.pairs),
            "occurrences": occurrences,
            "blocked_occurrences": blocked,
            "blocked_time_ns": group.time_ns,
            "not_moved_bytes": group.not_moved_bytes,
            "saving_without_blockers_ns": group.saving_ns,
        },
        key=key,
    )


def _clauses(pair: BlockedPair, names: Mapping[int, str]) -> Iterator[Text]:
    """Say what is between two kernels, one clause each."""
    first, second = pair.kernels
    for blocker, times in pair.blockers.items():
        yield text(
            "NW202.between",
            blocker=text(f"NW202.{blocker}"),
            first=names[first],
            second=names[second],
            times=times,
            occurrences=pair.occurrences,
        )


RULE = Rule(code="NW202", name="fusion-chains", check=check)
