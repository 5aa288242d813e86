import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.errors import UsageError
from nsys_walls.roofline.hardware import all_hardware, candidates, decide, named, normalise
from nsys_walls.roofline.hardware_file import PRECISIONS
from nsys_walls.roofline.rates import all_rates

PARTS = all_hardware()
BY_ID = {part.id: part for part in PARTS}
NAMES = [(part.id, name) for part in PARTS for name in (part.id, part.name, *part.aliases)]

# Of compute capability 9.0 with numbers that its rates do not explain: the sheet's FP32 of 44
# TFLOP/s does not fit 78 SMs; noted in their files.
UNEXPLAINED = {("h20", "fp32"), ("h20-3e", "fp32")}


def ids(parts):
    return [part.id for part in parts]


def published_rates(part):
    found = [
        rates
        for rates in all_rates()
        if rates.compute_capability == part.compute_capability
        and part.segment in rates.segments
        and not rates.chips
    ]
    assert len(found) == 1
    return found[0].flop_per_clock


def test_the_table_has_its_51_parts_in_an_order_of_its_own():
    assert len(PARTS) == len(BY_ID) == 51
    orders = [part.order for part in PARTS]
    assert orders == sorted(set(orders))


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_every_number_has_a_document_and_a_check_day(part):
    numbers = {**part.board, **part.peak_flop_per_s}
    assert numbers.keys() >= {"bandwidth_bytes_per_s", "memory_bytes", "l2_bytes", "fp32"}
    for number in numbers.values():
        assert len(number.source) > 10
        assert number.checked.year >= 2026
        assert str(number.checked) in str(number.document)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_base_units_are_of_a_gpu(part):
    assert 100e9 < part.bandwidth_bytes_per_s.value < 10e12
    assert 4 * 2**30 < part.memory_bytes.value < 512 * 2**30
    assert 2**20 < part.l2_bytes.value < 512 * 2**20
    for clock in filter(None, (part.clock_hz, part.tensor_clock_hz)):
        assert 1e9 < clock.value < 3e9
    assert all(1e10 < peak.value < 20e15 for peak in part.peak_flop_per_s.values())
    assert set(part.sparse_halved) <= set(part.peak_flop_per_s) <= set(PRECISIONS)


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_peaks_are_dense(part):
    """A sparse number would be twice what the SMs can do; marketing rounds by up to 6 %."""
    if part.sm_count is None:
        assert part.id == "b100"
        return
    clocks_per_s = part.sm_count.value * part.clock_hz.value
    for precision, flop in published_rates(part).items():
        peak = part.peak_flop_per_s.get(precision)
        if peak is None or (part.id, precision) in UNEXPLAINED:
            continue
        limit = 1.02 if precision == "fp16_tensor" else 1.06
        assert peak.value <= flop * clocks_per_s * limit, precision
        if peak.source.startswith("SMs x boost clock"):
            assert peak.value == pytest.approx(flop * clocks_per_s, rel=0.01), precision


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_accumulation_in_half_precision_is_listed_where_it_is_faster(part):
    for precision, peak in part.peak_flop_per_s.items():
        if precision.endswith("_fp16acc"):
            assert part.segment == "geforce" or part.id == "a10g"
            plain = part.peak_flop_per_s[precision.removesuffix("_fp16acc")]
            assert peak.value == pytest.approx(2 * plain.value, rel=0.01)


@pytest.mark.parametrize(
    ("part", "precision", "tflop_per_s"),
    [
        ("t4", "fp16_tensor", 65),
        ("t4", "fp32", 8.1),
        ("t4", "bf16_tensor", None),  # Turing has no BF16
        ("p100-sxm2", "fp16_tensor", None),  # Pascal has no tensor cores
        ("a100-pcie-40", "tf32_tensor", 156),
        ("h100-sxm5", "fp16_tensor", 989.4),  # not 1978.9, nor 1070 at 1980 MHz
        ("h100-pcie", "bf16_tensor", 756),  # at 1620 MHz
        ("b200", "fp8_tensor", 4500),
        ("b300", "int8_tensor", 150),  # cut in Blackwell Ultra
        ("rtx3090", "fp16_tensor", 71),  # half rate with FP32 accumulation
        ("rtx3090", "fp16_tensor_fp16acc", 142),
        ("rtx5090", "fp4_tensor", 1676),  # not 3352 AI TOPS
        ("l40", "fp16_tensor", 181.05),  # half of an L40S
        ("a10g", "fp16_tensor", 70),  # half of an A10
        ("h20", "fp16_tensor", 148),  # a quarter of a Hopper
    ],
)
def test_peaks_that_are_easily_got_wrong(part, precision, tflop_per_s):
    peak = BY_ID[part].peak_flop_per_s.get(precision)
    assert (peak and peak.value / 1e12) == tflop_per_s


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.id)
def test_links_are_of_one_direction(part):
    pcie, nvlink, c2c = part.pcie_bytes_per_s, part.nvlink_bytes_per_s, part.c2c_bytes_per_s
    if part.segment in {"jetson", "desktop"}:
        assert (pcie, nvlink, c2c) == (None, None, None)  # the CPU shares their memory
        return
    assert (pcie is None) != (c2c is None)
    if pcie:
        # 8, 16 and 32 GT/s on 16 lanes after 128b/130b, 4.0 on 8 lanes, and 6.0
        assert pcie.value in {15.754e9, 31.508e9, 63.015e9, 121e9}
        assert "PCIe" in pcie.source
        assert "in each direction" in pcie.source
    for link in filter(None, (nvlink, c2c)):
        assert link.value < part.bandwidth_bytes_per_s.value
        assert "direction" in link.source


@pytest.mark.parametrize(
    ("part", "link", "gb_per_s"),
    [
        ("t4", "pcie", 15.754),
        ("a16", "pcie", 15.754),  # eight lanes of 4.0
        ("l4", "pcie", 31.508),
        ("h100-pcie", "pcie", 63.015),
        ("gh200-96", "pcie", None),
        ("p100-sxm2", "nvlink", 80),
        ("v100-sxm2-16", "nvlink", 150),
        ("v100-pcie", "nvlink", None),
        ("a100-sxm4-80", "nvlink", 300),  # sheets print 600
        ("a800-sxm4-80", "nvlink", 200),  # cut
        ("h800-sxm5", "nvlink", 200),  # cut
        ("h20", "nvlink", 450),  # not cut
        ("h100-nvl", "nvlink", 300),
        ("a30", "nvlink", 100),
        ("rtx3090", "nvlink", 56.25),
        ("rtx4090", "nvlink", None),
        ("b200", "nvlink", 900),
        ("gh200-96", "c2c", 450),
        ("gb200", "c2c", 225),  # half of a Grace's
        ("h100-sxm5", "c2c", None),
    ],
)
def test_links_that_are_easily_got_wrong(part, link, gb_per_s):
    number = getattr(BY_ID[part], f"{link}_bytes_per_s")
    assert (number and number.value / 1e9) == gb_per_s


@pytest.mark.parametrize(
    ("part", "balance"),
    [
        ("t4", 203.1),  # 65e12 / 320e9
        ("v100-sxm2-16", 138.9),  # 125e12 / 900e9
        ("v100-pcie", 124.4),  # 112e12 / 900e9
        ("a100-sxm4-40", 200.6),  # 312e12 / 1555e9
        ("a100-sxm4-80", 153.0),  # 312e12 / 2039e9
        ("a100-pcie-80", 161.2),  # 312e12 / 1935e9
        ("h20", 36.8),  # 148e12 / 4022e9
        ("p100-pcie", None),
    ],
)
def test_balance_points(part, balance):
    found = BY_ID[part].balance_flop_per_byte("fp16_tensor")
    assert (found and round(found, 1)) == balance


@pytest.mark.parametrize(("part", "name"), NAMES)
def test_every_name_finds_its_part(part, name):
    assert part in ids(named(name))
    assert part in ids(candidates(name))


def test_only_family_names_are_shared():
    shared = {normalise(name) for _, name in NAMES if len(named(name)) > 1}
    assert shared == {
        "a100", "a100-40", "a100-40gb", "a100-80", "a100-80gb", "a100-pcie", "a100-sxm",
        "a100-sxm4", "a800", "gh200", "h100", "p100", "v100", "v100-sxm2",
    }  # fmt: skip
    for part in PARTS:
        assert ids(named(part.id)) == ids(named(part.name)) == [part.id]


@pytest.mark.parametrize(
    ("alias", "listed"),
    [
        ("a100", ["a100-sxm4-80", "a100-sxm4-40", "a100-pcie-80", "a100-pcie-40"]),
        ("v100", ["v100-sxm2-16", "v100-sxm2-32", "v100-pcie"]),
        ("h100", ["h100-sxm5", "h100-pcie", "h100-nvl"]),
        ("gh200", ["gh200-96", "gh200-144"]),
        ("b200", ["b200"]),
        ("NVIDIA H200", ["h200-sxm"]),
        ("NVIDIA L4", ["l4"]),
        ("NVIDIA L40S", ["l40s"]),
        ("NVIDIA A10", ["a10"]),
        ("NVIDIA B300", ["b300"]),
        ("NVIDIA GB300", ["gb300"]),
        ("Tesla V100-PCIE-16GB", ["v100-pcie"]),
        ("A100-SXM4-40GB", ["a100-sxm4-40"]),  # drivers before 2021 leave NVIDIA out
        ("NVIDIA A100 80GB PCIE", ["a100-pcie-80"]),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", ["rtxpro6000-bw"]),
        ("A1", []),
        ("NVIDIA Graphics Device", []),
        ("NVIDIA GeForce RTX 4090 Laptop GPU", []),
        ("", []),
    ],
)
def test_names_are_matched_whole_and_listed_in_order(alias, listed):
    assert ids(named(alias)) == listed


@given(st.sampled_from(NAMES), st.randoms(use_true_random=False), st.booleans())
def test_case_spacing_and_vendor_do_not_matter(name, random, vendor):
    spelt = "".join(random.choice((letter.upper(), letter.lower())) for letter in name[1])
    spelt = spelt.replace(" ", " " * random.randint(1, 3))
    if vendor and not spelt.casefold().startswith("nvidia"):
        spelt = f" nVidia  {spelt} "
    assert ids(named(spelt)) == ids(named(name[1]))


@given(st.text(max_size=20).filter(lambda text: not text.casefold().endswith(".toml")))
def test_any_text_finds_parts_or_is_refused_in_one_line(asked):
    refused = None
    try:
        found = candidates(asked)
    except UsageError as error:
        found, refused = (), error
    assert bool(found) != bool(refused)
    assert refused is None or (refused.slug, len(str(refused).splitlines())) == (
        "unknown-hardware",
        1,
    )


def test_an_unknown_name_is_refused_with_what_is_close():
    with pytest.raises(UsageError, match=r"'h1000' is no GPU .*h100-sxm5.*nsys-walls hw") as caught:
        candidates("h1000")
    assert caught.value.slug == "unknown-hardware"
    with pytest.raises(UsageError, match=r"'zzzz' is no GPU of the hardware table; "):
        candidates("zzzz")


def test_a_toml_path_is_read_and_only_as_an_option(tmp_path):
    path = tmp_path / "Mine.TOML"
    path.write_text('name = "Mine"\nbandwidth_bytes_per_s = 1e12\n')
    assert ids(candidates(str(path))) == ["Mine"]
    assert named(str(path)) == ()


@pytest.mark.parametrize(
    ("alias", "facts", "chosen", "rivals"),
    [
        ("a100", {}, "a100-sxm4-80", ["a100-sxm4-40", "a100-pcie-80", "a100-pcie-40"]),
        ("a100", {"name": "NVIDIA A100-PCIE-40GB"}, "a100-pcie-40", []),
        ("a100", {"bandwidth_bytes_per_s": 2039.04e9}, "a100-sxm4-80", []),
        ("a100", {"bandwidth_bytes_per_s": 1935.36e9}, "a100-pcie-80", []),
        # 40 GB: SXM and PCIe have the same walls, so nothing is in doubt
        ("a100", {"bandwidth_bytes_per_s": 1555.2e9}, "a100-sxm4-40", []),
        ("a100", {"memory_bytes": 42.3e9}, "a100-sxm4-40", []),
        ("a100", {"memory_bytes": 85e9}, "a100-sxm4-80", ["a100-pcie-80"]),
        ("v100", {"bandwidth_bytes_per_s": 898e9}, "v100-sxm2-16", ["v100-pcie"]),
        (
            "v100",
            {"bandwidth_bytes_per_s": 898e9, "memory_bytes": 34e9},
            "v100-sxm2-32",
            ["v100-pcie"],
        ),
        ("h100", {"bandwidth_bytes_per_s": 2039e9}, "h100-pcie", []),
        # 320 GB/s is no A100: it decides nothing
        ("gh200", {"bandwidth_bytes_per_s": 320e9}, "gh200-96", ["gh200-144"]),
    ],
)
def test_the_trace_decides_between_parts_of_one_alias(alias, facts, chosen, rivals):
    part, warning = decide(named(alias), **facts)
    assert part.id == chosen
    if not rivals:
        assert warning is None
        return
    assert warning.code == "ambiguous-hardware"
    assert f"but {', '.join(rivals)} would" in warning.message


def test_a_part_without_a_memory_size_is_not_told_by_it(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('name = "Mine"\nbandwidth_bytes_per_s = 1e12\n')
    (mine,) = candidates(str(path))
    assert decide([mine], memory_bytes=8e9) == (mine, None)
