"""Nsight Systems reports: `.nsys-rep`, and `.qdrep` before 2021.4.

Their format is not published and has no magic number that all versions share, so here, and
only here, a suffix decides: of content that no other reader recognises. `read` has them
exported by nsys itself and reads the export.
"""

import re
from typing import TYPE_CHECKING

from nsys_walls.sources import Request, Sample, Sink, SourceInfo, all_readers
from nsys_walls.textfile import is_text

if TYPE_CHECKING:
    from nsys_walls.sources import Reader

_SUFFIXES = (".nsys-rep", ".qdrep")
# what stands under the name of a file that was not fetched: its pointer, or a page that says so
_STAND_IN = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:version https://git-lfs|[<{\[])")


class NsysRepReader:
    """Reads reports of Nsight Systems where nsys is on PATH."""

    kind = "nsys-rep"
    is_trace = True

    def recognises(self, sample: Sample) -> bool:
        """Say whether a file is named as a report, and its content is nothing else."""
        head = sample.head
        if not sample.path.name.casefold().endswith(_SUFFIXES) or not head or sample.compressed:
            return False
        if is_text(head) and _STAND_IN.match(head):
            return False
        others = (reader for reader in all_readers() if reader is not self)
        return not any(reader.recognises(sample) for reader in others)

    def read(self, request: Request, sink: Sink) -> SourceInfo:
        """Read what an export to SQLite holds.

        Raises:
            InputError: ``needs-nsys``: nsys is not on PATH; ``export-failed``: it can't export
                the report; or the export can't be used.
        """
        # readers are imported to look at a file's first bytes; the databases only to read it
        from nsys_walls.sources.nsys_rep.read import read_report  # noqa: PLC0415

        return read_report(request, sink)


READER: "Reader" = NsysRepReader()
