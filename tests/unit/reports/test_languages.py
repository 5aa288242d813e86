"""A report in Chinese is Chinese: what looks for English in it finds it."""

import pytest
from support.languages import check_languages, has_english, untranslated, without_prose

NAMES = {"void at::softmax kernel of mine", "a"}


@pytest.mark.parametrize(
    "said",
    [
        "no DRAM traffic",
        "没有显存访问 but served by L2",
        "a 是 the slowest kernel",
        "see `ncu` for it",
    ],
)
def test_english_words_in_a_row_are_found(said):
    assert has_english(said, NAMES)


@pytest.mark.parametrize(
    "said",
    ["由 L2 供给", "请用 `ncu --set roofline` 采集", "--hw 指的是另一个型号",
     "a, b, c 等（另有 2 个）",
     "void at::softmax kernel of mine：1.50 ms", "void scale<1>(float *) 用时 2 ms",
     "fp16 峰值 65 TFLOP/s"],
)  # fmt: skip
def test_names_commands_and_units_are_no_english(said):
    assert not has_english(said, NAMES)


def test_strings_are_found_wherever_they_stand():
    document = {
        "warnings": [{"code": "no-units", "message": "base units are assumed"}],
        "kernels": [{"name": "my own kernel", "match": {"level": "none", "reason": "采集"},
                     "notes": ["short"], "new_key": "said in English"}],
    }  # fmt: skip
    assert untranslated(document, ()) == [
        ("message", "base units are assumed"),
        ("notes", "short"),
        ("new_key", "said in English"),
    ]
    assert without_prose(document)["kernels"][0].keys() == {"name", "match", "new_key"}


def test_a_document_that_ignores_its_language_is_refused(tmp_path):
    from support.runs import analyse_rows, counter_row, trace_rows

    analysis = analyse_rows(tmp_path, trace_rows([(0, 4, 0, 0, 7)]), {"counters": [counter_row()]})

    def build(_analysis, _findings, _notices, _language):
        return {"warnings": [{"code": "x", "message": "always in English"}]}

    with pytest.raises(AssertionError, match="always in English"):
        check_languages(build)(analysis, None, (), "en")
