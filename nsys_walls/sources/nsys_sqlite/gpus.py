"""Which GPU a CUDA ordinal of a process is, and what the trace knows about it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import pyarrow as pa

from nsys_walls.sources.nsys_sqlite.chunks import Database
from nsys_walls.sources.nsys_sqlite.schema import Catalog, rules
from nsys_walls.traces.arrow import in_int32, optional_integers, table, texts

Row = Mapping[str, Any]

_NUMBERS = ("sm_count", "clock_hz", "bandwidth_bytes_per_s", "memory_bytes", "l2_bytes")
_TEXTS = ("name", "chip", "bus", "uuid")
_NO_UUID = "00000000-0000-0000-0000-000000000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuTables:
    """The tables of GPUs in a trace, in base units; each may be empty.

    Attributes:
        gpus: GPUs of the machine (from 2020.5; with numbers from 2021.2).
        cuda_devices: CUDA ordinals of each process (from schema 3.17.1).
        early_gpus: GPUs as CUDA numbers them (2020).
        file_key: Something that tells this trace from others.
    """

    gpus: Sequence[Row] = ()
    cuda_devices: Sequence[Row] = ()
    early_gpus: Sequence[Row] = ()
    file_key: str


def read_gpu_tables(database: Database, catalog: Catalog, file_key: str) -> GpuTables:
    """Read the tables of GPUs."""
    return GpuTables(
        gpus=_read(database, catalog, "gpu"),
        cuda_devices=_read(database, catalog, "cuda_device"),
        early_gpus=_read(database, catalog, "early_gpu"),
        file_key=file_key,
    )


def _read(database: Database, catalog: Catalog, what: str) -> list[Row]:
    found = catalog.find(what)
    if found is None:
        return []
    rule = rules()["tables"][what]
    columns = [
        (found.text(name) if name in _TEXTS else found.number(name)).label(name)
        for name in rule["columns"]
    ]
    query = found.numbers(()).add_columns(*columns)
    return [_in_base_units(row, rule) for row in database.rows(query)]


def _in_base_units(row: Row, rule: Mapping[str, Any]) -> Row:
    scaled = dict(row)
    for name, factor in rule.get("scale", {}).items():
        scaled[name] = row[name] and row[name] * factor
    for name, limit in rule.get("mebibytes_below", {}).items():
        if row[name] is not None and 0 < row[name] < limit:
            scaled[name] = row[name] * 2**20
    return scaled


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gpu:
    ordinal: int | None
    identity: str
    facts: Row


class Gpus:
    """Numbers the GPUs that ran something."""

    def __init__(self, tables: GpuTables) -> None:
        self._tables = tables
        self._by_process: dict[tuple[int | None, int | None], int] = {}
        self._gpus: dict[tuple[str, int | None], int] = {}
        self._rows: list[_Gpu] = []

    def number(self, pid: int | None, ordinal: int | None) -> int:
        """Number the GPU that a process calls by a CUDA ordinal; the same again next time."""
        if (pid, ordinal) not in self._by_process:
            gpu = self._resolve(pid, ordinal)
            key = (gpu.identity, gpu.ordinal)
            if key not in self._gpus:
                self._gpus[key] = len(self._rows)
                self._rows.append(gpu)
            self._by_process[pid, ordinal] = self._gpus[key]
        return self._by_process[pid, ordinal]

    def known(self, pid: int | None, ordinal: int | None) -> int | None:
        """Give the number of a GPU that has one already."""
        return self._by_process.get((pid, ordinal))

    def number_listed(self, gpu_id: int) -> int | None:
        """Give the number of a row of the table of GPUs; None where nothing ran on that GPU.

        Args:
            gpu_id: The row's ``id``.
        """
        ids = ((gpu.facts.get("id"), gpu.facts.get("gpu_id")) for gpu in self._rows)
        listed = [own if own is not None else named for own, named in ids]
        return listed.index(gpu_id) if gpu_id in listed else None

    def _resolve(self, pid: int | None, ordinal: int | None) -> _Gpu:
        device = next(
            (
                row
                for row in self._tables.cuda_devices
                if (row["process"], row["ordinal"]) == (pid, ordinal)
            ),
            {},
        )
        facts: dict[str, Any] = {}
        for row in (device, self._listed(device, ordinal), self._early(pid, ordinal)):
            facts.update({name: value for name, value in row.items() if facts.get(name) is None})
        return _Gpu(ordinal=ordinal, identity=self._identity(facts, ordinal), facts=facts)

    def _listed(self, device: Row, ordinal: int | None) -> Row:
        """Find the row of the table of GPUs, by the best evidence that the trace has.

        The table's own ``id`` is not the CUDA ordinal: they run against each other on some
        machines. ``cuDevice`` is 0 also for what CUDA can't open, which has no SMs.
        """
        gpu_id = device.get("gpu_id")
        rules: tuple[Callable[[Row], bool], ...] = (
            lambda row: gpu_id is not None and row["id"] == gpu_id,
            lambda row: row["cuda_ordinal"] == ordinal and (row["sm_count"] or 0) > 0,
            lambda row: row["early_ordinal"] == ordinal,
        )
        return next((row for rule in rules for row in self._tables.gpus if rule(row)), {})

    def _early(self, pid: int | None, ordinal: int | None) -> Row:
        rows = [row for row in self._tables.early_gpus if row["ordinal"] == ordinal]
        return next((row for row in rows if row["process"] in {pid, None}), rows[0] if rows else {})

    def _identity(self, facts: Row, ordinal: int | None) -> str:
        """Name a GPU so that equal ones have equal names, in other traces too where possible."""
        uuid = facts.get("uuid")
        if uuid and uuid != _NO_UUID:
            parts = ["uuid", uuid, facts.get("name")]
        elif facts.get("bus") or facts.get("id") is not None:
            parts = [self._tables.file_key, facts.get("bus"), facts.get("id")]
        else:
            parts = [self._tables.file_key, "cuda", facts.get("gpu_id"), ordinal]
        return sha256("\0".join(map(str, parts)).encode()).hexdigest()[:12]

    def table(self) -> pa.Table:
        """Make the rows of ``devices``."""
        facts = [gpu.facts for gpu in self._rows]
        columns = {
            "gpu": optional_integers(range(len(facts))),
            "ordinal": in_int32(optional_integers([gpu.ordinal for gpu in self._rows])),
            "identity": texts([gpu.identity for gpu in self._rows]),
            "name": texts([row.get("name") for row in facts]),
            "chip": texts([row.get("chip") or None for row in facts]),
            "compute_capability": texts([_compute_capability(row) for row in facts]),
            "discrete": optional_integers([_flag(row.get("discrete")) for row in facts]),
        }
        for name in _NUMBERS:
            columns[name] = optional_integers([_positive(name, row.get(name)) for row in facts])
        columns["discrete"] = columns["discrete"].cast(pa.bool_())
        return table(columns)


def _compute_capability(row: Row) -> str | None:
    major, minor = row.get("compute_major"), row.get("compute_minor")
    return f"{major}.{minor}" if major and minor is not None else None


def _flag(number: int | None) -> int | None:
    return None if number is None else int(bool(number))


def _positive(name: str, number: int | None) -> int | None:
    """A size or rate that is 0 was not known to the driver."""
    limit = 2**31 if name == "sm_count" else 2**63
    return number if number is not None and 0 < number < limit else None
