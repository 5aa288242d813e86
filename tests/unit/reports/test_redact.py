"""Reports without the names that a program and its files have."""

from dataclasses import replace

from support.documents import kernel, report

from nsys_walls.reports.redact import redacted


def row(name, **more):
    return {
        "name": name, "launches": 1, "time_ns": 5, "self_time_ns": 5, "time_ratio": 1.0,
        "time_by_wall_ns": {}, **more,
    }  # fmt: skip


def secret():
    ranges = [row("acme-secret/step"), row("acme-secret/step/attn"), row("(outside)"), row("")]
    tree = [row("acme-secret/step", node=0, parent=None, depth=0)]
    finding = {
        "code": "NW501", "title": "idle in acme-secret/step/attn", "message": "m", "kernels": [],
        "time_ratio": 0.0, "saving_ns": None, "speedup_bound": None,
        "blockers": ["wait in acme-secret/step"], "advice": "see bert-base-b8.sqlite",
        "evidence": {"range": "acme-secret/step", "time_ns": 5}, "key": None,
    }  # fmt: skip
    selection = {"nvtx": ["acme*"], "window": None, "devices": [], "streams": [], "kernel": "gemm"}
    return report(
        kernels=[kernel(range="acme-secret/step/attn")],
        headline="bert-base-b8 is slow",
        advice="look into acme-secret/step",
        ranges=ranges,
        range_tree=tree,
        findings=[finding],
        warnings=[{"code": "x", "message": "bert-base-b8.sqlite is odd"}],
        selection=selection,
    )


def test_no_name_of_a_range_file_or_run_is_left():
    found = redacted(secret())
    text = repr(found)
    assert "acme" not in text
    assert "bert-base" not in text
    (before,), (after,) = secret().document["kernels"], found.document["kernels"]
    assert after == before | {"range": "range 2"}


def test_names_are_numbered_and_equal_ones_are_equal():
    document = redacted(secret()).document
    assert [line["name"] for line in document["ranges"]] == ["range 1", "range 2", "(outside)", ""]
    assert document["range_tree"][0]["name"] == "range 1"
    assert document["findings"][0]["title"] == "idle in range 2"
    assert document["findings"][0]["evidence"] == {"range": "range 1", "time_ns": 5}
    assert document["run"]["name"] == "run"
    assert document["run"]["sources"][0]["file"] == "file 1"
    assert document["selection"]["nvtx"] == ["…"]


def test_a_report_without_a_selection_can_be_redacted():
    whole = secret()
    whole = replace(whole, document=whole.document | {"selection": None})
    assert redacted(whole).document["selection"] is None
