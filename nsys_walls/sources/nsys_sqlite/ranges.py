"""NVTX ranges: where they are nested, and their rows for the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import sqlalchemy as sa

from nsys_walls.sources import Sink, Skipped
from nsys_walls.sources.nsys_sqlite.chunks import Database
from nsys_walls.sources.nsys_sqlite.events import (
    FURTHEST_NS,
    all_columns,
    pid_of,
    process_ids,
    thread_ids,
)
from nsys_walls.sources.nsys_sqlite.schema import Found, rules
from nsys_walls.traces.arrow import (
    integers,
    known,
    table,
    texts,
    valid_text,
    values,
)
from nsys_walls.traces.keys import Key, coded
from nsys_walls.traces.nesting import OUTSIDE, Nesting, Numbers, Ranges, nest
from nsys_walls.traces.privacy import without_folders

_NUMBERS = ("start", "end", "thread", "end_thread", "kind", "domain")

#: Names by process and number of the domain.
Domains = Mapping[Key, str | None]


@dataclass(frozen=True, slots=True)
class RangeTable:
    """The table of NVTX events, and the condition that tells usable ranges from other rows."""

    database: Database
    found: Found

    def _select(self, *, strict: bool) -> sa.Select[Any]:
        """Select the usable ranges: the same rows and columns, so that both passes number alike."""
        kinds = rules()["nvtx"]
        column = self.found.number if strict else self.found.columns.__getitem__
        usable = sa.and_(
            self.found.columns["kind"].in_([kinds["push_pop"], kinds["start_end"]]),
            column("thread").is_not(None),
            column("start").between(-FURTHEST_NS, column("end")),
            column("end") <= FURTHEST_NS,
        )
        return self.found.numbers(_NUMBERS, strict=strict).where(usable)

    def nesting(self) -> Nesting | None:
        """Read times and threads of all ranges and nest them; None where there are none.

        Ranges are numbered in the order of their rows. A start-end range counts on the thread
        that it began on, and on the thread that it ended on.
        """
        query, strict = (self._select(strict=strict) for strict in (False, True))
        parts = list(self.database.chunks(self.found, query, _on_threads, strict=strict))
        count = sum(int(part.own.sum()) for part in parts)
        return nest(_joined(parts), count) if count else None

    def write(self, nesting: Nesting, sink: Sink, strings: Found | None) -> None:
        """Write the rows of ``ranges``.

        Args:
            nesting: How they are nested.
            sink: Where to write.
            strings: The trace's table of strings, for names that are ids.
        """
        domains = self._domains()
        query, strict = (
            _with_name(self._select(strict=strict), self.found, strings) for strict in (False, True)
        )
        written = 0
        chunks = self.database.chunks(
            self.found, query, lambda chunk: chunk, strict=strict, text="name"
        )
        for chunk in chunks:
            parents = nesting.parent_of[written : written + chunk.num_rows]
            sink.write("ranges", _stored(chunk, parents, written, domains))
            written += chunk.num_rows

    def _domains(self) -> Domains:
        """Read the names that programs gave to domains, which are numbered in each process."""
        if "domain" not in self.found.columns:
            return {}
        query = (
            self.found.numbers(("thread", "domain"), strict=True)
            .add_columns(self.found.text("text").label("name"))
            .where(self.found.columns["kind"] == rules()["nvtx"]["domain"])
        )
        return {
            (pid_of(row["thread"]), row["domain"]): row["name"] for row in self.database.rows(query)
        }

    def skipped(self, written: int) -> Sequence[Skipped]:
        """Count the rows that are no closed range."""
        kinds = rules()["nvtx"]
        kind, end = self.found.columns["kind"], self.found.columns["end"]
        is_range = kind.in_([kinds["push_pop"], kinds["start_end"]])

        def count(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[Any]:
            return sa.func.coalesce(sa.func.sum(sa.case((condition, 1), else_=0)), 0)

        query = sa.select(
            count(sa.and_(is_range, end.is_(None))).label("open"),
            count(kind == kinds["mark"]).label("marks"),
            count(is_range).label("ranges"),
            sa.func.count().label("all"),
        ).select_from(self.found.table)
        rows = self.database.rows(query)[0]
        return [
            Skipped("NVTX ranges still open at the end of the capture", rows["open"]),
            Skipped("NVTX marks", rows["marks"]),
            Skipped(
                "NVTX rows that only name things", rows["all"] - rows["ranges"] - rows["marks"]
            ),
            Skipped(
                "NVTX ranges without usable times or thread",
                rows["ranges"] - rows["open"] - written,
            ),
        ]


def _on_threads(chunk: pa.Table) -> Ranges:
    """Take what nesting needs out of a chunk; ranges are numbered from 0 in each."""
    columns = all_columns(chunk, _NUMBERS)
    start, end, thread = (values(columns[name]) for name in ("start", "end", "thread"))
    end_thread = values(columns["end_thread"])
    elsewhere = np.flatnonzero(
        known(columns["end_thread"])
        & (values(columns["kind"]) == rules()["nvtx"]["start_end"])
        & (end_thread != thread)
    )
    number = np.concatenate([np.arange(len(start)), elsewhere]).astype(np.int32)
    return Ranges(
        number=number,
        own=np.arange(len(number)) < len(start),
        thread=np.concatenate([thread, end_thread[elsewhere]]),
        start=start[number],
        end=end[number],
    )


def _joined(parts: Sequence[Ranges]) -> Ranges:
    first = np.cumsum([0, *(part.own.sum() for part in parts)])
    numbers = [part.number + offset for part, offset in zip(parts, first[:-1], strict=True)]
    return Ranges(
        number=np.concatenate(numbers).astype(np.int32),
        own=np.concatenate([part.own for part in parts]),
        thread=np.concatenate([part.thread for part in parts]),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
    )


def _with_name(query: sa.Select[Any], found: Found, strings: Found | None) -> sa.Select[Any]:
    """Add the name: the text that the program gave, or the string that it registered."""
    given = found.text("text")
    if strings is None or "text_id" not in found.columns:
        return query.add_columns(sa.func.coalesce(given, "").label("name"))
    same = strings.columns["id"] == found.columns["text_id"]
    name = sa.func.coalesce(given, strings.text("value"), "").label("name")
    return query.add_columns(name).select_from(found.table.outerjoin(strings.table, same))


def _stored(chunk: pa.Table, parents: Numbers, first: int, domains: Domains) -> pa.Table:
    columns = all_columns(chunk, _NUMBERS)
    process = process_ids(columns["thread"])
    keyed = coded([process, columns["domain"]])
    is_start_end = values(columns["kind"]) == rules()["nvtx"]["start_end"]
    return table(
        {
            "range": integers(np.arange(first, first + chunk.num_rows, dtype=np.int32)),
            "parent": integers(parents, parents != OUTSIDE),
            "name": without_folders(valid_text(chunk.column("name").combine_chunks())),
            "domain": texts([domains.get(key) for key in keyed.keys]).take(integers(keyed.codes)),
            "kind": texts(["push_pop", "start_end"]).take(integers(is_start_end.astype(np.int64))),
            "start_ns": columns["start"],
            "duration_ns": integers(values(columns["end"]) - values(columns["start"])),
            "process": process,
            "thread": thread_ids(columns["thread"]),
        }
    )
