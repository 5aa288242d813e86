"""Nsight Compute CSV: raw and details pages of all versions, in any company.

Stages: `header` finds header and rows in the text, a page (`long_page`, `raw_page`) sorts
their cells into `launches`, and `rows` reads the numbers once the whole file has shown how
it prints them.
"""

from collections.abc import Sequence
from typing import Final, TextIO

from nsys_walls.counters.table import load_table
from nsys_walls.errors import InputError, Notice
from nsys_walls.sources import Request, Sample, Sink, Skipped, SourceInfo
from nsys_walls.sources.ncu_csv.banners import Banners, is_banner
from nsys_walls.sources.ncu_csv.header import Header, Scanner
from nsys_walls.sources.ncu_csv.launches import CUT_OFF, NOT_A_ROW, Profile
from nsys_walls.sources.ncu_csv.long_page import LongPage
from nsys_walls.sources.ncu_csv.metrics import Metrics
from nsys_walls.sources.ncu_csv.raw_page import RawPage
from nsys_walls.sources.ncu_csv.rows import counters
from nsys_walls.textfile import cells, has_line, open_text, records
from nsys_walls.texts import text

_UNJOINABLE: Final = "summary rows that name no kernel"
_NO_ROWS: Final = "it holds no rows of ncu's raw or details page"
_NO_KERNELS: Final = "it is a summary per GPU or NVTX range, which names no kernels"
_EXPORT: Final = (
    "export them with `ncu --import REPORT.ncu-rep --csv --page raw --print-units base`"
)
_PROGRESS_ROWS: Final = 20_000


class NcuCsvReader:
    """Reads profiled launches into the table ``counters``."""

    kind = "ncu-csv"
    is_trace = False

    def recognises(self, sample: Sample) -> bool:
        """Find ncu's header, rows in its order, or its own messages."""
        scanner = Scanner()

        def is_ours(line: str) -> bool:
            scanner.classify(line)
            return scanner.header is not None or is_banner(line)

        return has_line(sample.head, is_ours)

    def read(self, request: Request, sink: Sink) -> SourceInfo:
        """Read all launches of the file.

        Raises:
            InputError: ``no-launches``: it holds none that could be joined to a trace;
                ``damaged-file``: its gzip data is damaged.
        """
        profile, banners = Profile(), Banners()
        with open_text(request.path) as stream:
            _read(stream, profile, banners, request)
        if not profile.launches:
            raise _no_launches(request.path.name, profile, banners)
        sink.write("counters", counters(profile))
        return SourceInfo(
            kind=self.kind,
            rows=len(profile.launches),
            skipped=[Skipped(reason, rows) for reason, rows in sorted((+profile.skipped).items())],
            warnings=_warnings(profile, banners),
        )


class _NoPage:
    """Takes the rows of a summary per GPU or NVTX range."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile

    def read(self, _row: Sequence[str]) -> None:
        """Count a row."""
        self._profile.skipped[_UNJOINABLE] += 1


def _page(header: Header, metrics: Metrics, profile: Profile) -> LongPage | RawPage | _NoPage:
    """Make the reader of the rows under a header."""
    if header.page == "unjoinable":
        return _NoPage(profile)
    return (RawPage if header.page == "raw" else LongPage)(header, metrics, profile)


def _read(stream: TextIO, profile: Profile, banners: Banners, request: Request) -> None:
    """Sort all lines of the file: rows to their page, the rest to the counts."""
    scanner, metrics = Scanner(), Metrics(load_table())
    header: Header | None = None
    page: LongPage | RawPage | _NoPage = _NoPage(profile)
    for number, (kind, record) in enumerate(records(stream, scanner.classify)):
        if scanner.header is not None and scanner.header is not header:
            header = scanner.header
            page = _page(header, metrics, profile)
        if kind == "row" and header is not None:
            page.read(cells(record.rstrip("\r\n"), header.delimiter))
        elif kind == "noise" and not record.isspace():
            banners.see(record)
            profile.skipped[NOT_A_ROW] += 1
        elif kind == "cut":
            profile.skipped[CUT_OFF] += 1
        if number % _PROGRESS_ROWS == 0:
            request.progress(number, None)


def _no_launches(name: str, profile: Profile, banners: Banners) -> InputError:
    """Say why a file has no launches, in ncu's own terms where it gave a reason."""
    cause = banners.cause or f"{_NO_ROWS}; {_EXPORT}"
    if profile.skipped[_UNJOINABLE]:
        cause = f"{_NO_KERNELS}; {_EXPORT}"
    return InputError("no-launches", f"{name} has no profiled launches: {cause}.")


def _warnings(profile: Profile, banners: Banners) -> list[Notice]:
    """Say what the user should know about how the file was read."""
    notices = []
    if profile.style.doubt:
        notices.append(Notice("number-style", profile.style.doubt))
    if not profile.has_units:
        notices.append(Notice("no-units", text("source.no_units")))
    empty = sum(not launch.counters for launch in profile.launches)
    if empty:
        said = text("source.no_used_counters", empty=empty, launches=len(profile.launches))
        notices.append(Notice("no-counters", said))
    if banners.errors:
        cause = banners.cause or text("source.ncu_unknown_cause")
        said = text("source.ncu_errors", errors=banners.errors, cause=cause)
        notices.append(Notice("ncu-errors", said))
    return notices


READER = NcuCsvReader()
