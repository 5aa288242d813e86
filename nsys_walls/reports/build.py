"""From a stored run to a report that renderers can show."""

from nsys_walls.findings import find_all
from nsys_walls.reports import Report
from nsys_walls.reports.document import build_document
from nsys_walls.reports.headline import advice, headline
from nsys_walls.reports.redact import redacted
from nsys_walls.roofline.analysis import analyse
from nsys_walls.roofline.notices import analysis_notices
from nsys_walls.roofline.walls import WallOptions
from nsys_walls.store.dataset import StoredRun
from nsys_walls.store.selection import EVERYTHING, Selection
from nsys_walls.texts import LANGUAGES


def build_report(
    run: StoredRun,
    options: WallOptions,
    selection: Selection = EVERYTHING,
    language: str = LANGUAGES[0],
    *,
    redact_names: bool = False,
) -> Report:
    """Analyse a run, or a selection of it, and put the answer into words.

    Args:
        run: The run.
        options: What the user says of its walls.
        selection: What of it to show.
        language: One of `nsys_walls.texts.LANGUAGES`.
        redact_names: Whether to say it without the names of NVTX ranges, files and the run.

    Raises:
        UsageError: No wall of any device is known, or nothing is selected.
    """
    analysis = analyse(run, options, selection)
    if redact_names:
        analysis = redacted(analysis)
    findings = find_all(analysis)
    return Report(
        document=build_document(analysis, findings, analysis_notices(analysis), language),
        headline=headline(analysis, language),
        advice=advice(analysis, findings).written(language),
        language=language,
    )
