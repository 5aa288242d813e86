"""The GPUs of a trace: what it lists of them, and names that no other trace has."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import pyarrow as pa

from nsys_walls.sources.torch_trace.columns import printable
from nsys_walls.sources.torch_trace.numbers import whole
from nsys_walls.sources.torch_trace.rules import rules
from nsys_walls.traces.arrow import in_int32, optional_integers, table, texts

_NUMBERS = ("sm_count", "memory_bytes")


def device_table(
    ordinals: Sequence[int | None], header: Mapping[str, Any], file_key: str
) -> pa.Table:
    """Make the rows of ``devices``.

    Args:
        ordinals: CUDA ordinals of the GPUs that something ran on, in the order of their numbers.
        header: What the trace holds beside its events.
        file_key: What tells this trace from all others: a trace has no name of a GPU that
            would be the same in another one.
    """
    key = f"{file_key}:{_rank(header)}"
    facts = [_facts(ordinal, header) for ordinal in ordinals]
    numbers = {
        name: optional_integers([_positive(row.get(name)) for row in facts]) for name in _NUMBERS
    }
    numbers["sm_count"] = in_int32(numbers["sm_count"])
    return table(
        {
            "gpu": optional_integers(range(len(ordinals))),
            "ordinal": optional_integers(ordinals),
            "identity": texts([_identity(key, ordinal) for ordinal in ordinals]),
            "name": printable([_text(row.get("name")) for row in facts]),
            "compute_capability": texts([_compute_capability(row) for row in facts]),
            **numbers,
        }
    )


def _rank(header: Mapping[str, Any]) -> int | None:
    """Read which process of a distributed job was profiled."""
    distributed = header.get(rules()["document"]["distributed"])
    return whole(distributed.get("rank")) if isinstance(distributed, dict) else None


def _facts(ordinal: int | None, header: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read what the trace lists of a GPU, under our names; nothing where it lists none."""
    keys: Mapping[str, Sequence[str]] = rules()["device"]
    for name in rules()["document"]["devices"]:
        listed = header.get(name)
        for row in listed if isinstance(listed, list) else ():
            if isinstance(row, dict):
                facts = {
                    ours: row[key] for ours, theirs in keys.items() for key in theirs if key in row
                }
                if ordinal is not None and whole(facts.get("ordinal")) == ordinal:
                    return facts
    return {}


def _identity(key: str, ordinal: int | None) -> str:
    return sha256(f"{key}:{ordinal}".encode()).hexdigest()[:12]


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _positive(value: Any) -> int | None:
    """A size that is 0 was not known to the driver."""
    number = whole(value)
    return number if number is not None and number > 0 else None


def _compute_capability(row: Mapping[str, Any]) -> str | None:
    major, minor = whole(row.get("compute_major")), whole(row.get("compute_minor"))
    return f"{major}.{minor}" if major and minor is not None else None
