"""CSV reports of ``nsys stats``: kernels per launch, or only their times by name."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from nsys_walls.errors import InputError, Notice
from nsys_walls.sources import Request, Sample, Sink, Skipped, SourceInfo
from nsys_walls.sources.nsys_stats.printed import Printed
from nsys_walls.sources.nsys_stats.report import NOT_A_ROW, Report, Scanner, is_progress
from nsys_walls.sources.nsys_stats.summary import Summaries
from nsys_walls.sources.nsys_stats.trace import Trace
from nsys_walls.textfile import Kind, cells, has_line, open_text, records
from nsys_walls.texts import text

_CUT_OFF: Final = "rows that are cut off"
_OTHER_REPORTS: Final = "rows of reports without kernels"
_EXPORT: Final = (
    "`nsys stats --report cuda_gpu_trace --format csv REPORT.nsys-rep` "
    "(or ingest the SQLite export)"
)
_PROGRESS_ROWS: Final = 20_000


class NsysStatsReader:
    """Reads launches into the tables of a trace, or per-name times into ``summaries``."""

    kind = "nsys-stats-csv"
    is_trace = True

    def recognises(self, sample: Sample) -> bool:
        """Find the header of a report, or what ``nsys stats`` prints around it."""
        scanner = Scanner()

        def is_ours(line: str) -> bool:
            scanner.classify(line)
            return scanner.report is not None or is_progress(line)

        return has_line(sample.head, is_ours)

    def read(self, request: Request, sink: Sink) -> SourceInfo:
        """Read all kernels of the file.

        Raises:
            InputError: ``no-kernels``: it is another report, or lists none;
                ``unknown-unit``: a column has a unit that is not known;
                ``damaged-file``: its gzip data is damaged.
        """
        contents = _Contents(request.path.name, sink)
        scanner = Scanner()
        with open_text(request.path) as stream:
            for number, (kind, record) in enumerate(records(stream, scanner.classify)):
                contents.take(scanner.report, kind, record)
                if number % _PROGRESS_ROWS == 0:
                    request.progress(number, None)
        rows, warnings = contents.finish()
        return SourceInfo(
            kind=self.kind,
            rows=rows,
            skipped=[Skipped(why, count) for why, count in sorted((+contents.skipped).items())],
            warnings=warnings,
        )


class _Contents:
    """What one file holds: launches, summaries, or neither.

    Attributes:
        skipped: Number of rows that are not stored, by reason.
    """

    def __init__(self, file: str, sink: Sink) -> None:
        self.skipped: Counter[str] = Counter()
        self._file, self._sink = file, sink
        self._printed = Printed()
        self._trace = Trace(sink, self._printed, self.skipped)
        self._summaries = Summaries(self._printed, self.skipped)
        self._report: Report | None = None

    def take(self, report: Report | None, kind: Kind, record: str) -> None:
        """Sort what was read under a header: rows to their report, the rest to the counts."""
        if report is not None and report is not self._report:
            self._begin(report)
        if kind == "row" and report is not None:
            self._row(report, cells(record.rstrip("\r\n"), report.delimiter))
        elif kind == "noise" and not record.isspace():
            self.skipped[NOT_A_ROW] += 1
        elif kind == "cut":
            self.skipped[_CUT_OFF] += 1

    def _begin(self, report: Report) -> None:
        """Refuse a report whose units would be guessed, and prepare for the others."""
        unit = report.unknown_unit
        if unit is not None:
            msg = (
                f"{self._file}: a column has the unit {unit[:20]!r}; expected times in ns, us, ms "
                f"or s, and sizes in B to GB. Export again with {_EXPORT}."
            )
            raise InputError("unknown-unit", msg)
        self._report = report
        if report.name == "cuda_gpu_trace":
            self._trace.begin(report)

    def _row(self, report: Report, row: Sequence[str]) -> None:
        if report.name == "cuda_gpu_trace":
            self._trace.add(row)
        elif report.name == "other":
            self.skipped[_OTHER_REPORTS] += 1
        else:
            self._summaries.add(report, row)

    def finish(self) -> tuple[int, list[Notice]]:
        """Pass on what is left; launches make summaries of the same file superfluous.

        Returns:
            Number of launches or of names, and what the user should know.

        Raises:
            InputError: ``no-kernels``.
        """
        self._trace.finish()
        if self._trace.launches:
            self._summaries.skip_all("cuda_gpu_trace")
            return self._trace.launches, _trace_warnings(self._printed)
        table = self._summaries.table()
        if table.num_rows == 0:
            raise _no_kernels(self._file, self.skipped)
        self._sink.write("summaries", table)
        return table.num_rows, _summary_warnings(self._printed)


def _no_kernels(name: str, skipped: Counter[str]) -> InputError:
    found = (
        "an nsys stats report of something else than kernels"
        if skipped[_OTHER_REPORTS]
        else ("output of nsys stats without any kernel")
    )
    return InputError("no-kernels", f"{name} is {found}: export launches with {_EXPORT}.")


def _trace_warnings(printed: Printed) -> list[Notice]:
    notices = _style_warnings(printed)
    if printed.rounded:
        said = text("source.rounded_sizes", sizes=printed.rounded)
        notices.append(Notice("rounded-sizes", said))
    return notices


def _summary_warnings(printed: Printed) -> list[Notice]:
    return [*_style_warnings(printed), Notice("summary-only", text("source.summary_only"))]


def _style_warnings(printed: Printed) -> list[Notice]:
    return [Notice("number-style", printed.style.doubt)] if printed.style.doubt else []


READER = NsysStatsReader()
