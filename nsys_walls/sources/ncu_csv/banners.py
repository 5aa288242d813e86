"""What ncu itself says in a file that holds its CSV: why launches are missing."""

import re
from typing import Final

from nsys_walls.texts import Text, text

_BANNER = re.compile(r"==(?:PROF|WARNING|ERROR)== ")

#: Part of ncu's message, and what it means with what to do. The first that was seen counts.
_CAUSES: Final = (
    ("ERR_NVGPUCTRPERM", text("source.ncu_no_permission")),
    ("driver resource was unavailable", text("source.ncu_counters_held")),
    ("driver is not compatible", text("source.ncu_driver")),
    ("Failed to find metric", text("source.ncu_unknown_metric")),
    ("No kernels were profiled", text("source.ncu_no_kernels")),
    ("returned an error code", text("source.ncu_program_failed")),
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
        self._seen.update(at for at, (part, _) in enumerate(_CAUSES) if part in line)

    @property
    def cause(self) -> Text | None:
        """Why launches may be missing, and what to do; None where ncu did not say."""
        return _CAUSES[min(self._seen)][1] if self._seen else None


def is_banner(line: str) -> bool:
    """Whether a line is one of ncu's own messages.

    >>> is_banner("==PROF== Connected to process 7"), is_banner("==7== NVPROF is profiling")
    (True, False)
    """
    return _BANNER.match(line.lstrip("\ufeff")) is not None
