import json

import pytest

from nsys_walls.cli import main

WIDTH = 100


@pytest.fixture
def hw(capsys):
    def run(*args):
        with pytest.raises(SystemExit) as caught:
            main(["hw", *args])
        output = capsys.readouterr()
        return caught.value.code, output.out, output.err

    return run


def row(output, part):
    (line,) = [line for line in output.splitlines() if line.startswith(f"{part} ")]
    return line


def test_the_table_has_all_parts_balance_points_and_documents(hw):
    code, out, err = hw()
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert lines.index("") == 1 + 51
    for part, balance, half in (
        ("t4", "203.1", "101.6"),
        ("v100-sxm2-16", "138.9", "69.4"),
        ("a100-sxm4-40", "200.6", "100.3"),
        ("a100-sxm4-80", "153.0", "76.5"),
        ("p100-pcie", "-", "-"),
    ):
        assert row(out, part).split()[-3:-1] == [balance, half]
    assert row(out, "h100-sxm5").split()[-8:-3] == ["3352", "66.9", "989.4", "989.4", "1978.9"]
    assert "dense" in out
    cited = {number for line in lines[1:52] for number in line.split()[-1].split(",")}
    listed = {line.partition("]")[0][1:] for line in lines if line.startswith("[")}
    assert cited == listed == {str(number + 1) for number in range(len(listed))}


def test_a_part_is_shown_with_the_document_of_each_number(hw):
    code, out, err = hw("Tesla  T4")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "t4: Tesla T4"
    (peak,) = [line for line in lines if line.startswith("  fp16_tensor ")]
    assert "65 TFLOP/s, dense  balance 203.1, half 101.6 FLOP/byte" in peak
    (document,) = [line for line in lines if line.startswith(peak[-3:])]
    assert "gpu-specs" in document
    assert "checked 2026-" in out
    assert "Some sheets print 300 GB/s" in out
    assert "1590 MHz" in out
    assert "4 MiB" in out
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ("a100-sxm4-80", {"pcie_bytes_per_s": "31.508", "nvlink_bytes_per_s": "300"}),
        ("gb200", {"nvlink_bytes_per_s": "900", "c2c_bytes_per_s": "225"}),
        ("gb10", {}),
    ],
)
def test_links_are_shown_by_direction(hw, part, shown):
    _, out, _ = hw(part)
    links = [line.split() for line in out.splitlines() if " GB/s per direction " in line]
    assert {link[0]: link[1] for link in links} == shown


def test_a_family_shows_all_its_parts_in_order(hw):
    _, out, _ = hw("a100")
    heads = [line.partition(":")[0] for line in out.split("\n\n")]
    assert heads == ["a100-sxm4-80", "a100-sxm4-40", "a100-pcie-80", "a100-pcie-40"]
    assert "also called a100" in out
    assert "153.0" in out
    assert "200.6" in out
    assert "Data sheets also print twice this, with 2:4 sparsity" in out


def test_a_file_of_the_user_is_shown(hw, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "Mine"\nbandwidth_bytes_per_s = 1e12\n')
    code, out, _ = hw(str(path))
    assert code == 0
    assert out.splitlines()[0] == "mine: Mine"
    assert "[1]  mine.toml" in out


def test_json_holds_base_units_and_sources(hw):
    _, out, _ = hw("a10", "--json")
    document = json.loads(out)
    assert (document["schema"], document["peaks"]) == ("nsys-walls/hardware/1", "dense")
    (part,) = document["parts"]
    assert part["id"] == "a10"
    assert part["bandwidth_bytes_per_s"]["value"] == 600e9
    assert part["pcie_bytes_per_s"]["value"] == 31.508e9
    assert "nvlink_bytes_per_s" not in part
    assert part["peak_flop_per_s"]["fp16_tensor"]["value"] == 125e12
    assert part["peak_flop_per_s"]["fp32"]["source"].startswith("https://")
    assert part["peak_flop_per_s"]["fp32"]["checked"].startswith("2026-")
    assert part["balance_flop_per_byte"]["fp16_tensor"] == pytest.approx(125e12 / 600e9)


def test_json_of_the_whole_table_and_of_unchecked_numbers(hw, tmp_path):
    assert len(json.loads(hw("--json")[1])["parts"]) == 51
    path = tmp_path / "mine.toml"
    path.write_text('name = "Mine"\nbandwidth_bytes_per_s = 1e12\n')
    (part,) = json.loads(hw(str(path), "--json")[1])["parts"]
    assert part["bandwidth_bytes_per_s"] == {
        "value": 1e12, "source": "mine.toml", "checked": None, "second_hand": False,
    }  # fmt: skip


def test_an_unknown_gpu_is_one_line_on_stderr(hw):
    code, out, err = hw("a1000")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "'a1000' is no GPU of the hardware table" in err
    assert "[unknown-hardware]" in err
