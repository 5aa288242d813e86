import contextlib
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.errors import UsageError
from nsys_walls.roofline.hardware_file import parse_hardware, read_hardware_file

HEAD = 'name = "Card"\nbandwidth_bytes_per_s = 1e12\n'


def test_bare_numbers_come_from_the_file_itself():
    text = HEAD + "sm_count = 50\n[peak_flop_per_s]\nfp32 = 20e12\nfp64 = 1e12\n"
    card = parse_hardware(text, "my-card.toml")
    assert (card.id, card.name) == ("my-card", "Card")
    assert card.bandwidth_bytes_per_s.value == 1e12
    assert str(card.bandwidth_bytes_per_s.document) == "my-card.toml"
    assert card.sm_count.value == 50
    assert list(card.peak_flop_per_s) == ["fp64", "fp32"]
    assert card.balance_flop_per_byte("fp32") == 20
    assert card.balance_flop_per_byte("fp16") is None
    assert list(card.board) == ["sm_count", "bandwidth_bytes_per_s"]
    assert (card.mig, card.order, card.aliases, card.segment) == (False, 0, (), None)


def test_links_may_be_bare_too_and_are_listed_last():
    links = "c2c_bytes_per_s = 450e9\nnvlink_bytes_per_s = 300e9\npcie_bytes_per_s = 31.5e9\n"
    card = parse_hardware(links + HEAD, "my-card.toml")
    assert card.pcie_bytes_per_s.value == 31.5e9
    assert str(card.nvlink_bytes_per_s.document) == "my-card.toml"
    assert list(card.board) == [
        "bandwidth_bytes_per_s", "pcie_bytes_per_s", "nvlink_bytes_per_s", "c2c_bytes_per_s",
    ]  # fmt: skip
    assert parse_hardware(HEAD, "my-card.toml").pcie_bytes_per_s is None


def test_numbers_cite_documents():
    text = """
        id = "card-1"
        name = "Card"
        aliases = ["card"]
        compute_capability = "8.0"
        mig = true
        bandwidth_bytes_per_s = { value = 2e12, source = "sheet" }
        [sources.sheet]
        title = "Card datasheet"
        checked = 2026-05-04
    """
    card = parse_hardware(text, "x.toml")
    assert (card.id, card.aliases, card.compute_capability, card.mig) == (
        "card-1", ("card",), "8.0", True,
    )  # fmt: skip
    assert card.bandwidth_bytes_per_s.checked == date(2026, 5, 4)
    assert str(card.bandwidth_bytes_per_s.document) == "Card datasheet (checked 2026-05-04)"


def test_a_document_that_could_not_be_read_is_called_second_hand():
    text = """
        name = "Card"
        bandwidth_bytes_per_s = { value = 2e12, source = "sheet" }
        [sources.sheet]
        title = "Card datasheet"
        checked = 2026-05-04
        second_hand = true
    """
    number = parse_hardware(text, "x.toml").bandwidth_bytes_per_s
    assert number.second_hand
    assert str(number.document) == "Card datasheet (second hand, 2026-05-04)"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("name = ", "is not TOML"),
        ("", "name is missing"),
        ('name = ""\nbandwidth_bytes_per_s = 1e12', "name is missing"),
        ('name = "Card"', "bandwidth_bytes_per_s is missing"),
        ("name = 3\nbandwidth_bytes_per_s = 1e12", "name is not of type str"),
        (HEAD + "colour = 1", "colour is no key of a hardware file"),
        (HEAD + 'mig = "yes"', "mig is not of type bool"),
        (HEAD + "aliases = [1]", "aliases is not a list of texts"),
        (HEAD + 'aliases = "card"', "aliases is not of type list"),
        (HEAD + "sm_count = true", "sm_count is not a number above 0"),
        (HEAD + 'sm_count = "50"', "sm_count is not a number above 0"),
        (HEAD + "sm_count = 0", "sm_count is not a number above 0"),
        (HEAD + "sm_count = nan", "sm_count is not a number above 0"),
        (HEAD + "sm_count = inf", "sm_count is not a number above 0"),
        (HEAD + "sm_count = {}", "sm_count is not a number above 0"),
        (HEAD + "nvlink_bytes_per_s = 0", "nvlink_bytes_per_s is not a number above 0"),
        (HEAD + "peak_flop_per_s = 3", "peak_flop_per_s is not of type dict"),
        (HEAD + "[peak_flop_per_s]\nfp7 = 1e12", r"fp7 is no precision \(fp64, "),
        (HEAD + 'sm_count = { value = 1, source = "a" }', "sm_count has source 'a', which has no"),
        (
            HEAD + 'sm_count = { value = 1, source = "a" }\n[sources.a]\ntitle = "T"',
            "sm_count has source 'a', which has no title and checked day",
        ),
        (
            HEAD + 'sm_count = { value = 1, source = "a" }\n[sources]\na = "T"',
            "a is not of type dict",
        ),
    ],
)
def test_what_is_wrong_is_named_in_one_line(text, reason):
    with pytest.raises(UsageError, match=rf"^card\.toml: .*{reason}.*; expected name = ") as caught:
        parse_hardware(text, "card.toml")
    assert caught.value.slug == "hardware-file"
    assert "\n" not in str(caught.value)


@given(st.text())
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(UsageError):
        parse_hardware(text, "card.toml")


def test_files_that_are_no_text_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"^gone\.toml: not found; expected") as caught:
        read_hardware_file(tmp_path / "gone.toml")
    assert caught.value.slug == "not-found"
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (binary, tmp_path):
        with pytest.raises(UsageError, match=rf"^{path.name}: can't be read as text"):
            read_hardware_file(path)


def test_a_file_is_read(tmp_path):
    path = tmp_path / "card.toml"
    path.write_text(HEAD)
    assert read_hardware_file(path).id == "card"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f'name = "x"\nbandwidth_bytes_per_s = 1{"0" * 400}', "of a size that can be"),
        ('name = "x"\nbandwidth_bytes_per_s = 1e-320', "of a size that can be"),
        ('name = "x"\nbandwidth_bytes_per_s = nan', "of a size that can be"),
        (f"name = {'[' * 5000}", "nested too deeply"),
    ],
)
def test_numbers_and_nesting_that_can_not_be(text, words):
    with pytest.raises(UsageError, match=words):
        parse_hardware(text, "my.toml")
