"""The document as JSON, for scripts; the contract is ``data/report-1.schema.json``."""

import json

from nsys_walls.reports import Report


class JsonRenderer:
    """Strict JSON: no NaN, no infinity."""

    name = "json"
    suffix = ".json"

    def render(self, report: Report) -> str:
        """Write the document, indented, keys in the documented order."""
        return json.dumps(report.document, indent=1, allow_nan=False, ensure_ascii=False) + "\n"


RENDERER = JsonRenderer()
