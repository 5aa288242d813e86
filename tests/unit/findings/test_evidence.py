"""Every number that a finding rests on is called something, in every language."""

import ast
from pathlib import Path
from typing import get_args

from nsys_walls import findings
from nsys_walls.findings import counters_missing
from nsys_walls.roofline.below_walls import BusyUnit
from nsys_walls.roofline.geometry import LaunchReason
from nsys_walls.texts import placeholders, templates

MODULES = sorted(Path(findings.__file__).parent.glob("*.py"))
ROWS = {key.removeprefix("evidence.") for key in templates() if key.startswith("evidence.")}

# Keys that a rule puts together, by how they are written: rows, and how a page makes one of them.
WRITTEN = {
    "above_the_wall": {
        "kernel_*_*_ratio": {"kernel_bandwidth_ratio", "kernel_compute_ratio"},
        "kernel_*_dram_bytes": {"kernel_dram_bytes"},
        "kernel_*_l2_bytes": {"kernel_l2_bytes"},
        "kernel_*_ncu_bytes_per_s": {"kernel_ncu_bytes_per_s"},
        "device_*_l2_size_bytes": {"device_l2_size_bytes"},
        "device_*_clock_hz": {"device_clock_hz"},
        "device_*_peak_clock_hz": {"device_peak_clock_hz"},
    },
    "bound_inside_chip": {"*_time_ns": {f"{unit}_time_ns" for unit in get_args(BusyUnit)}},
    "counters_missing": {
        "*_time_ns": {
            f"{kind}_time_ns" for kind in (*counters_missing._LACKING, *counters_missing._WEAK)
        }
    },
    "latency_bound": {"*_time_ns": {f"{reason}_time_ns" for reason in get_args(LaunchReason)}},
    "near_neither_wall": {"*_time_ns": {f"{reason}_time_ns" for reason in get_args(LaunchReason)}},
    "slower_unit": {"*_peak_flop_per_s": {"peak_flop_per_s"}},
}


def keys_of(module):
    """Give the evidence keys of a module, ``*`` for what is put in.

    They stand in ``evidence=``, in a variable of that name, and in the functions ``_evidence`` and
    ``_step``.
    """
    tree = ast.parse(module.read_text("utf-8"))
    for node in ast.walk(tree):
        is_keyword = isinstance(node, ast.keyword) and node.arg == "evidence"
        is_variable = isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "evidence"
        is_function = isinstance(node, ast.FunctionDef) and node.name in {"_evidence", "_step"}
        if is_keyword or is_variable or is_function:
            yield from (written(key) for key in keys_inside(node))


def keys_inside(node):
    for inner in ast.walk(node):
        if isinstance(inner, ast.Dict):
            yield from (key for key in inner.keys if key is not None)
        elif isinstance(inner, ast.DictComp):
            yield inner.key
        elif isinstance(inner, ast.Yield) and isinstance(inner.value, ast.Tuple):
            yield inner.value.elts[0]
        elif isinstance(inner, ast.Subscript) and isinstance(inner.ctx, ast.Store):
            yield inner.slice


def written(key):
    if isinstance(key, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "*" for part in key.values)
    # a name is a key of something else, such as of an argument
    return key.value if isinstance(key, ast.Constant) else None


KEYS = {module.stem: {key for key in keys_of(module) if key} for module in MODULES}
SAID = {
    name
    for module, keys in KEYS.items()
    for key in keys
    for name in (WRITTEN.get(module, {}).get(key, {key}))
}


def test_the_evidence_of_every_rule_was_found():
    rules = {rule.check.__module__.rpartition(".")[2] for rule in findings.all_rules()}
    assert {module for module, keys in KEYS.items() if keys} == rules
    put_together = {module: {key for key in keys if "*" in key} for module, keys in KEYS.items()}
    assert {module: keys for module, keys in put_together.items() if keys} == {
        module: set(keys) for module, keys in WRITTEN.items()
    }


def test_every_number_has_a_name_and_every_name_a_number():
    assert not SAID - ROWS, "evidence without a row in data/texts/evidence.toml"
    assert not ROWS - SAID, "rows that are no rule's evidence"


def test_only_what_belongs_to_one_of_many_names_it():
    for name in ROWS:
        value = {"kernel": "kernel", "device": "device", "peak": "precision"}
        asked = placeholders(templates()[f"evidence.{name}"]["en"])
        expected = value.get(name.partition("_")[0])
        assert asked == ({expected} if expected else set()), name
