"""Warnings are kept with a run so that they can be said in any language, and by any version."""

import json

import pytest
from support.runs import record

from nsys_walls.errors import InputError, Notice
from nsys_walls.store.manifest import MANIFEST, Manifest, format_manifest, parse_manifest
from nsys_walls.store.notices import notice_row, read_notice
from nsys_walls.texts import some, text

NESTED = Notice(
    "impossible-samples",
    text("source.impossible_samples", samples=1200, metrics=some(["a", "b", "c", "{d}"])),
)
STORED = {"code": "odd", "message": "Odd {rows}."}


def test_a_warning_is_read_as_it_was_written():
    row = json.loads(json.dumps(notice_row(NESTED)))
    assert row["message"].startswith("1,200 samples of a, b, c and 1 more can't be right")
    assert read_notice(row) == NESTED
    assert read_notice(row).text.written("zh").startswith("a, b, c 等（另有 1 个） 有 1,200 个采样")


@pytest.mark.parametrize(
    "more",
    [
        {},  # as versions wrote it that kept sentences only
        {"key": "source.of_another_version", "values": {}},
        {"key": "source.newer_schema", "values": {}},
        {"key": "source.newer_schema", "values": {"schema": None}},
        {"key": "source.newer_schema", "values": {"schema": ["3"]}},
        {"key": "source.newer_schema", "values": {"schema": {"key": "source.no"}}},
        {"key": "source.newer_schema", "values": "3.99"},
        {"key": "source.newer_schema"},
        {"key": ["source.newer_schema"], "values": {"schema": "3"}},
    ],
)
def test_one_whose_text_is_not_known_says_its_sentence_as_it_is(more):
    notice = read_notice({**STORED, **more})
    assert (notice.code, notice.message) == ("odd", "Odd {rows}.")
    assert notice.text.written("zh") == "Odd {rows}."
    # and goes on doing so after the next ingest into its run
    assert read_notice(json.loads(json.dumps(notice_row(notice)))) == notice


def _folder(tmp_path, **changed):
    manifest = Manifest(run="r", next_source=1, sources=(record(0, warnings=(NESTED,)),))
    data = json.loads(format_manifest(manifest))
    data["sources"][0]["warnings"][0].update(changed)
    (tmp_path / MANIFEST).write_text(json.dumps(data), "utf-8")
    return tmp_path


def test_a_manifest_keeps_warnings(tmp_path):
    assert parse_manifest(_folder(tmp_path)).sources[0].warnings == (NESTED,)


def test_an_edited_text_falls_back_to_the_sentence(tmp_path):
    (found,) = parse_manifest(_folder(tmp_path, key="source.nothing")).sources[0].warnings
    assert (found.text.key, found.message) == ("notice.stored", NESTED.message)


@pytest.mark.parametrize("changed", [{"message": None}, {"code": ["odd"]}])
def test_without_code_or_sentence_a_manifest_is_damaged(tmp_path, changed):
    with pytest.raises(InputError, match="its manifest can't be read"):
        parse_manifest(_folder(tmp_path, **changed))
