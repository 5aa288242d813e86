"""Nsight Systems exports in a folder: `nsys export --type parquetdir` or `--type arrowdir`.

They hold the tables of a SQLite export, one file each. The flow: `export` finds the files whose
tables are read, `tables` reads them in batches, `copy` puts those columns into a temporary SQLite
file, and `nsys_sqlite` reads that: what a trace means is written down once.
"""

from typing import TYPE_CHECKING

from nsys_walls.sources import Request, Sample, Sink, SourceInfo

if TYPE_CHECKING:
    from nsys_walls.sources import Reader


class NsysArrowReader:
    """Reads folders of Parquet or Arrow files; `SourceInfo.kind` says which of them it was."""

    kind = "nsys-arrow"
    is_trace = True

    def recognises(self, sample: Sample) -> bool:
        """Say whether it is a folder with a table of an export."""
        if not sample.path.is_dir():
            return False
        # sqlalchemy is imported to read a folder, not to look at a file
        from nsys_walls.sources.nsys_arrow.export import holds_tables  # noqa: PLC0415

        return holds_tables(sample.path)

    def read(self, request: Request, sink: Sink) -> SourceInfo:
        """Read what a SQLite export of the same report would give.

        Raises:
            InputError: A file is damaged, tables are missing, or nothing ran on the GPU.
        """
        from nsys_walls.sources.nsys_arrow.read import read_export  # noqa: PLC0415

        return read_export(request, sink)


READER: "Reader" = NsysArrowReader()
