"""The words of an ncu command, and how long it takes."""

import math
import re
import shlex
from collections.abc import Sequence

from nsys_walls.counters.table import MEMORY_THROUGHPUT, SM_THROUGHPUT

#: What stands for the user's program: its command line is not kept.
PROGRAM = "PROGRAM ARGS..."

#: First version whose manual describes ``--filter-mode per-launch-config``.
OLDEST_NCU = "2023.2"

# Public logs: the basic set, which is little more than the two Speed of Light throughputs and
# what they break down to, takes 8 passes on most chips; the 12 counters of tritonbench's
# roofline (6 of instructions, DRAM, clocks) take 3.
_SPEED_OF_LIGHT = frozenset({SM_THROUGHPUT, MEMORY_THROUGHPUT})
SPEED_OF_LIGHT_PASSES = 8
COUNTERS_A_PASS = 4

# Signs that mean something in an NVTX filter (Nsight Compute CLI, NVTX filtering), and in one
# with a regular expression.
_NVTX_SIGN = re.compile(r"[\\@,\[\]/*+]")
_NVTX_REGEX_SIGN = re.compile(r"[\\@,\[\]/*+^$.|?(){}]")
_ESCAPED = r"\\\g<0>"
_WILDCARD = re.compile(r"(\*|\?|\[[^\]]+\])")
_WILDCARDS = {"*": ".*", "?": "."}


def estimate_passes(metrics: Sequence[str]) -> int:
    """Estimate how often ncu replays a launch to collect counters; what is of the launch is free.

    >>> estimate_passes(["dram__bytes.sum", "lts__t_bytes.sum"])
    1
    """
    counted = [name for name in metrics if not name.startswith("launch__")]
    others = [name for name in counted if name not in _SPEED_OF_LIGHT]
    throughput = SPEED_OF_LIGHT_PASSES if len(others) < len(counted) else 0
    return throughput + math.ceil(len(others) / COUNTERS_A_PASS)


def ncu_words(  # noqa: PLR0913  # one parameter per option that differs
    *,
    patterns: Sequence[str],
    metrics: Sequence[str],
    name_base: str,
    log_file: str,
    full_names: bool = True,
    devices: Sequence[int] = (),
    nvtx: Sequence[str] = (),
) -> tuple[str, ...]:
    """List the words of a command, the program left out.

    Args:
        patterns: Regular expressions of kernel names, without anchors.
        metrics: Counters to collect.
        name_base: Which name they are of: ``demangled`` or ``mangled``.
        log_file: File for the CSV.
        full_names: Whether the names are complete, as in a trace, or as ncu shortens them.
        devices: GPUs to profile; none means all.
        nvtx: Patterns of NVTX ranges to profile in; none means everywhere.
    """
    joined = patterns[0] if len(patterns) == 1 else f"({'|'.join(patterns)})"
    words = ["ncu", "--csv", "--page", "raw", "--print-units", "base"]
    words += ["--clock-control", "none"]
    if full_names:
        words += ["--rename-kernels", "off"]
    if devices:
        words += ["--devices", ",".join(map(str, devices))]
    if nvtx:
        words.append("--nvtx")
    for text in nvtx:
        words += ["--nvtx-include", nvtx_filter(text)]
    words += ["--kernel-name-base", name_base, "--kernel-name", f"regex:^{joined}$"]
    words += ["--filter-mode", "per-launch-config", "--launch-count", "1"]
    words += ["--metrics", ",".join(metrics), "--log-file", log_file]
    return tuple(words)


def nvtx_filter(pattern: str) -> str:
    """Write a pattern of range names for ``--nvtx-include``, as a push-pop range.

    Args:
        pattern: As in `Selection.nvtx`. A name without ``*``, ``?`` and ``[...]`` is taken
            literally; else it becomes a regular expression, a set of characters any one.

    >>> nvtx_filter("layer 1"), nvtx_filter("layer*")
    ('layer 1/', 'regex:layer.*/')
    """
    if not _WILDCARD.search(pattern):
        return f"{_NVTX_SIGN.sub(_ESCAPED, pattern)}/"
    parts = (
        _WILDCARDS.get(part, ".")
        if _WILDCARD.fullmatch(part)
        else _NVTX_REGEX_SIGN.sub(_ESCAPED, part)
        for part in _WILDCARD.split(pattern)
    )
    return f"regex:{''.join(parts)}/"


def shell_line(words: Sequence[str]) -> str:
    """Write a command for a POSIX shell, the program to be filled in."""
    return f"{shlex.join(words)} {PROGRAM}"
