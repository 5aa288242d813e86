import pytest

from nsys_walls.roofline.hardware_file import PRECISIONS
from nsys_walls.roofline.rates import all_rates, find_rates, segment_of


def test_every_row_has_a_document_and_known_precisions():
    for rates in all_rates():
        assert len(rates.source) > 10
        assert rates.checked.year >= 2026
        assert set(rates.flop_per_clock) <= set(PRECISIONS)
        assert all(flop > 0 for flop in rates.flop_per_clock.values())
        assert rates.flop_per_clock["fp32"] in {128, 256}  # 64 or 128 lanes, an FMA is two


def test_no_segment_has_two_rows():
    keys = [
        (rates.compute_capability, segment, chip)
        for rates in all_rates()
        for segment in rates.segments
        for chip in rates.chips or (None,)
    ]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("name", "segment"),
    [
        ("NVIDIA GeForce RTX 4060 Ti", "geforce"),
        ("GeForce GTX 1080", "geforce"),
        ("Quadro RTX 6000", "pro"),
        ("NVIDIA RTX A4000", "pro"),
        ("Tesla P40", "datacenter"),
        ("Orin", "jetson"),
        ("NVIDIA Graphics Device", None),
        ("NVIDIA CMP 170HX", None),  # an A100 chip with most of its FMA rate removed
        ("", None),
    ],
)
def test_segments_are_told_by_the_first_word(name, segment):
    assert segment_of(name) == segment


@pytest.mark.parametrize(
    ("name", "chip", "capability", "fp16_tensor"),
    [
        ("NVIDIA GeForce RTX 4060 Ti", "AD106", "8.9", 512),  # half rate
        ("NVIDIA RTX 4000 Ada Generation", "AD104", "8.9", 1024),
        ("NVIDIA GeForce RTX 2060", "TU106", "7.5", 512),
        ("NVIDIA TITAN RTX", "TU102", "7.5", 1024),
        ("NVIDIA GeForce GTX 1660", "TU116", "7.5", None),  # no tensor cores
        ("Quadro RTX 6000", None, "7.5", 1024),
    ],
)
def test_rates_are_of_chip_and_segment(name, chip, capability, fp16_tensor):
    assert find_rates(name, chip, capability).flop_per_clock.get("fp16_tensor") == fp16_tensor


@pytest.mark.parametrize(
    ("name", "capability"),
    [
        ("NVIDIA Graphics Device", "12.0"),
        (None, "9.0"),
        ("NVIDIA GeForce GTX 980", "5.2"),
        ("NVIDIA GeForce RTX 4060 Ti", None),
    ],
)
def test_what_is_not_known_has_no_rates(name, capability):
    assert find_rates(name, None, capability) is None
