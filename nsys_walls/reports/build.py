"""From a stored run to a report that renderers can show."""

from nsys_walls.findings import find_all
from nsys_walls.reports import Report
from nsys_walls.reports.document import build_document
from nsys_walls.reports.headline import advice, headline
from nsys_walls.roofline.analysis import analyse
from nsys_walls.roofline.notices import analysis_notices
from nsys_walls.roofline.walls import WallOptions
from nsys_walls.store.dataset import StoredRun


def build_report(run: StoredRun, options: WallOptions) -> Report:
    """Analyse a run and put the answer into words.

    Raises:
        UsageError: No wall of any device is known.
    """
    analysis = analyse(run, options)
    findings = find_all(analysis)
    return Report(
        document=build_document(analysis, findings, analysis_notices(analysis)),
        headline=headline(analysis),
        advice=advice(analysis, findings),
    )
