"""Say in one line why a database holds no launches."""

import re

import sqlalchemy as sa

from nsys_walls.errors import InputError
from nsys_walls.sources.nsys_sqlite.chunks import Database
from nsys_walls.sources.nsys_sqlite.schema import Catalog, Found, rules

_TRACE_AGAIN = (
    "trace again with `nsys profile -t cuda,nvtx PROGRAM`, then `nsys export --type sqlite`"
)
_NAMES_SHOWN = 5
_LONGEST = 200
# paths and addresses of people: they are nobody's business in a report
_PRIVATE = re.compile(r"(?:[A-Za-z]:)?[\\/][^\s'\"]+|\S+@\S+")


def check_is_export(catalog: Catalog, label: str) -> None:
    """Tell an Nsight Systems export from other SQLite databases.

    Raises:
        InputError: It is another database.
    """
    names = {name.casefold() for name in catalog.names}
    marks = {mark.casefold() for mark in rules()["marks"]}
    if "stringids" in names and names & marks:
        return
    shown = ", ".join(catalog.names[:_NAMES_SHOWN]) or "no tables"
    more = ", ..." if len(catalog.names) > _NAMES_SHOWN else ""
    msg = (
        f"{label}: a SQLite database, but no Nsight Systems export (it holds {shown}{more}); "
        "expected what `nsys export --type sqlite REPORT.nsys-rep` writes."
    )
    raise InputError("not-an-nsys-export", msg)


def no_launches(database: Database, catalog: Catalog, label: str, unusable: int) -> InputError:
    """Make the error of a trace without a usable launch.

    Args:
        database: The trace.
        catalog: Its tables.
        label: The file's name.
        unusable: Rows of the table of kernels that could not be used.
    """
    if unusable:
        what = f"none of the {unusable:,} rows of kernels has a usable name, start and end"
    elif catalog.find("kernel"):
        what = "its table of kernels is empty: nothing ran on the GPU"
    elif catalog.find("call"):
        what = "CUDA was called, but no kernel was traced on the GPU"
    elif catalog.find("gpu"):
        what = "a GPU is listed, but nothing ran on it that was traced"
    else:
        what = "it holds no CUDA calls and no GPU"
    said, advice = _diagnostics(database, catalog.find("diagnostic"))
    return InputError(
        "no-kernels", f"{label}: no kernels: {what}.{said} To get them, {advice}{_TRACE_AGAIN}."
    )


def _diagnostics(database: Database, found: Found | None) -> tuple[str, str]:
    """Quote the warning that explains most, without paths and people, and say what to do."""
    if found is None:
        return "", ""
    rule = rules()["diagnostics"]
    severity = found.number("severity")
    query = sa.select(severity.label("severity"), found.text("text").label("text")).where(
        severity.in_(rule["severities"])
    )
    said = [" ".join((row["text"] or "").split()) for row in database.rows(query)]
    for telling in rule["telling"]:
        for text in said:
            if re.search(telling["text"], text, re.IGNORECASE):
                quoted = _PRIVATE.sub("…", text)
                cut = quoted if len(quoted) <= _LONGEST else quoted[: _LONGEST - 1] + "…"
                return f' Nsight Systems warned: "{cut}"', telling["advice"]
    return "", ""
