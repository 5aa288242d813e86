"""What ncu itself says in a file that holds its CSV: why launches are missing."""

import re
from typing import Final

_BANNER = re.compile(r"==(?:PROF|WARNING|ERROR)== ")

#: Part of ncu's message, what it means, and what to do. The first that was seen counts.
_CAUSES: Final = (
    (
        "ERR_NVGPUCTRPERM",
        "ncu had no permission to read GPU counters (ERR_NVGPUCTRPERM)",
        "run ncu with sudo, or load the driver with NVreg_RestrictProfilingToAdminUsers=0",
    ),
    (
        "driver resource was unavailable",
        "another tool held the GPU counters",
        "stop it (such as DCGM: `dcgmi profile --pause`) and run ncu again",
    ),
    (
        "driver is not compatible",
        "the driver does not fit this version of ncu",
        "update the driver or use an older ncu",
    ),
    (
        "Failed to find metric",
        "ncu does not know a metric that was asked for on this GPU",
        "list what it knows with `ncu --query-metrics`",
    ),
    (
        "No kernels were profiled",
        "ncu profiled no kernels",
        "check its filters (-k, --launch-skip), and add --target-processes all",
    ),
    (
        "returned an error code",
        "the profiled program ended with an error",
        "run it without ncu first",
    ),
)


class Banners:
    """Collects ncu's own messages; what they say is never kept, as they may hold paths.

    Attributes:
        errors: Number of ``==ERROR==`` lines.
    """

    def __init__(self) -> None:
        self.errors = 0
        self._seen: set[int] = set()

    def see(self, line: str) -> None:
        """Take a line into account that is no CSV."""
        if not is_banner(line):
            return
        self.errors += "==ERROR==" in line
        self._seen.update(at for at, cause in enumerate(_CAUSES) if cause[0] in line)

    @property
    def cause(self) -> tuple[str, str] | None:
        """Why launches may be missing, and what to do; None where ncu did not say."""
        return _CAUSES[min(self._seen)][1:] if self._seen else None


def is_banner(line: str) -> bool:
    """Whether a line is one of ncu's own messages.

    >>> is_banner("==PROF== Connected to process 7"), is_banner("==7== NVPROF is profiling")
    (True, False)
    """
    return _BANNER.match(line.lstrip("\ufeff")) is not None
