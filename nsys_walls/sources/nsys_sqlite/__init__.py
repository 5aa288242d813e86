"""Nsight Systems SQLite exports: `nsys export --type sqlite`, every schema since 2020.

The flow: `connect` opens the file without touching its folder, `schema` finds its tables and
columns by name, `chunks` runs queries over them in threads, and one module per kind of row
writes to the sink: `launches`, `transfers`, `ranges`, `gpus`. `calls` and `nesting` find the
NVTX range that a launch was made in. `explain` says why a trace can't be used.
"""

from typing import TYPE_CHECKING

from nsys_walls.sources import Request, Sample, Sink, SourceInfo

if TYPE_CHECKING:
    from nsys_walls.sources import Reader

_MAGIC = b"SQLite format 3\0"


class NsysSqliteReader:
    """Reads SQLite exports of Nsight Systems; other SQLite databases end with an error."""

    kind = "nsys-sqlite"
    is_trace = True

    def recognises(self, sample: Sample) -> bool:
        """Say whether the content is a SQLite database, gzipped or not."""
        return sample.head.startswith(_MAGIC)

    def read(self, request: Request, sink: Sink) -> SourceInfo:
        """Read launches, kernels, names, copies, ranges, graphs and devices.

        Raises:
            InputError: It is damaged, no Nsight Systems export, or nothing ran on the GPU.
        """
        # readers are imported to look at a file's first bytes; the databases only to read it
        from nsys_walls.sources.nsys_sqlite.read import read_trace  # noqa: PLC0415

        return read_trace(request, sink)


READER: "Reader" = NsysSqliteReader()
