"""Nsight Compute reports: `.ncu-rep`, and `.nsight-cuprof-report` before 2020.

They begin with a magic number. `read` has them printed as CSV by ncu itself and reads that.
"""

from typing import TYPE_CHECKING

from nsys_walls.sources import Request, Sample, Sink, SourceInfo

if TYPE_CHECKING:
    from nsys_walls.sources import Reader

_MAGIC = b"NVR\0"


class NcuRepReader:
    """Reads reports of Nsight Compute where ncu is on PATH."""

    kind = "ncu-rep"
    is_trace = False

    def recognises(self, sample: Sample) -> bool:
        """Say whether the content begins as a report does."""
        return sample.head.startswith(_MAGIC) and not sample.compressed

    def read(self, request: Request, sink: Sink) -> SourceInfo:
        """Read the launches of the raw page.

        Raises:
            InputError: ``needs-ncu``: ncu is not on PATH; ``export-failed``: it can't read the
                report; ``no-launches``: the report holds none.
        """
        # nothing has to be run to look at a file's first bytes
        from nsys_walls.sources.ncu_rep.read import read_report  # noqa: PLC0415

        return read_report(request, sink)


READER: "Reader" = NcuRepReader()
