"""Take the names that a program and its files have out of a report; numbers stay as they are."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar, cast

from nsys_walls.reports import Document, Report
from nsys_walls.roofline.ranges import OTHER, OUTSIDE

Row = TypeVar("Row", bound=Mapping[str, object])

# Shorter names could be part of any word.
_SHORTEST = 4


def redacted(report: Report) -> Report:
    """Replace the run's name, file names and NVTX names by numbered ones.

    Kernel names stay: they are what the report is about. Equal names get equal numbers, the
    heaviest range the lowest.
    """
    names = _names(report.document)
    return replace(
        report,
        document=_document(report.document, names),
        headline=_replaced(report.headline, names),
        advice=_replaced(report.advice, names),
    )


def _names(document: Document) -> dict[str, str]:
    """Give every name that is replaced, and what by."""
    rows = [*document["ranges"], *document["range_tree"]]
    ranges = dict.fromkeys(row["name"] for row in rows if row["name"] not in {"", OUTSIDE, OTHER})
    names = {name: f"range {number}" for number, name in enumerate(ranges, 1)}
    for number, source in enumerate(document["run"]["sources"], 1):
        names[source["file"]] = f"file {number}"
    return {**names, document["run"]["name"]: "run"}


def _document(document: Document, names: Mapping[str, str]) -> Document:
    found = document.copy()
    found["run"] = {
        "name": "run",
        "sources": [
            {**source, "file": names[source["file"]]} for source in document["run"]["sources"]
        ],
    }
    found["kernels"] = [
        row if row["range"] is None else {**row, "range": names.get(row["range"], row["range"])}
        for row in document["kernels"]
    ]
    found["ranges"] = [
        {**row, "name": names.get(row["name"], row["name"])} for row in document["ranges"]
    ]
    found["range_tree"] = [
        {**row, "name": names.get(row["name"], row["name"])} for row in document["range_tree"]
    ]
    if document["selection"] is not None:
        hidden = ["…"] * len(document["selection"]["nvtx"])
        found["selection"] = {**document["selection"], "nvtx": hidden}
    found["findings"] = [_rewritten(row, names) for row in document["findings"]]
    found["abstained"] = [_rewritten(row, names) for row in document["abstained"]]
    found["warnings"] = [_rewritten(row, names) for row in document["warnings"]]
    return found


def _rewritten(row: Row, names: Mapping[str, str]) -> Row:
    return cast("Row", {key: _any_replaced(value, names) for key, value in row.items()})


def _any_replaced(value: object, names: Mapping[str, str]) -> object:
    if isinstance(value, str):
        return _replaced(value, names)
    if isinstance(value, list):
        return [_any_replaced(one, names) for one in value]
    if isinstance(value, dict):
        return {key: _any_replaced(one, names) for key, one in value.items()}
    return value


def _replaced(text: str, names: Mapping[str, str]) -> str:
    found = [name for name in names if len(name) >= _SHORTEST and name in text]
    for name in sorted(found, key=len, reverse=True):
        text = text.replace(name, names[name])
    return text
