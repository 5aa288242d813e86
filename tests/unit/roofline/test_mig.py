import pytest

from nsys_walls.roofline.hardware import named
from nsys_walls.roofline.mig import card_name, slice_of

GIB = 2**30


def card(name):
    (part,) = named(name)
    return part


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("NVIDIA A100-SXM4-40GB MIG 2g.10gb", "NVIDIA A100-SXM4-40GB"),
        ("NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb", "NVIDIA H100 80GB HBM3"),
        ("NVIDIA A30 MIG 1g.6gb+me", "NVIDIA A30"),
        ("NVIDIA A30", "NVIDIA A30"),
        ("NVIDIA MIG", "NVIDIA MIG"),
    ],
)
def test_the_slice_is_taken_off_the_name(name, whole):
    assert card_name(name) == whole


@pytest.mark.parametrize(
    ("part", "profile", "sm_count", "compute", "memory"),
    [
        # eighths of the memory: profile tables of NVIDIA's MIG user guide
        ("a100-sxm4-40", "1g.5gb", 14, 14 / 108, 1 / 8),
        ("a100-sxm4-40", "2g.10gb", 28, 28 / 108, 2 / 8),
        ("a100-sxm4-40", "3g.20gb", 42, 42 / 108, 4 / 8),
        ("a100-sxm4-80", "1g.20gb", 14, 14 / 108, 2 / 8),
        ("a100-sxm4-80", "7g.80gb", 98, 98 / 108, 1.0),
        ("a30", "1g.6gb", 14, 14 / 56, 1 / 4),
        ("a30", "4g.24gb", 56, 1.0, 1.0),
        ("h100-nvl", "1g.12gb", 16, 16 / 132, 1 / 8),
        ("h200-sxm", "1g.18gb", 16, 16 / 132, 1 / 8),
        ("h200-sxm", "3g.71gb", 60, 60 / 132, 4 / 8),
        ("b200", "1g.23gb", 18, 18 / 148, 1 / 8),
        ("rtxpro6000-bw", "1g.24gb", 46, 46 / 188, 1 / 4),
        ("a100-sxm4-80", "3g.40gb", None, None, 4 / 8),
        ("b100", "3g.96gb", 60, None, 4 / 8),  # its SM count is not published
    ],
)
def test_a_profile_in_the_name(part, profile, sm_count, compute, memory):
    found = slice_of(f"NVIDIA X MIG {profile}", sm_count, None, card(part))
    assert (found.label, found.memory_ratio) == (profile, memory)
    assert found.compute_ratio == (pytest.approx(compute) if compute else None)


def test_clearly_fewer_sms_are_a_slice_too():
    found = slice_of("NVIDIA A100-SXM4-80GB", 28, 20 * GIB, card("a100-sxm4-80"))
    assert (found.label, found.memory_ratio) == ("28 SMs", 2 / 8)
    assert found.compute_ratio == pytest.approx(28 / 108)
    assert slice_of(None, 28, None, card("a100-sxm4-80")).memory_ratio is None


@pytest.mark.parametrize(
    ("part", "sm_count"),
    [("a100-sxm4-80", 108), ("a100-sxm4-80", None), ("gb300", 148), ("rtx3080", 30), ("b100", 9)],
)
def test_whole_cards(part, sm_count):
    assert slice_of("NVIDIA X", sm_count, 8 * GIB, card(part)) is None


def test_a_slice_of_an_unknown_card_has_unknown_parts():
    found = slice_of("NVIDIA X MIG 1g.5gb", 14, 5 * GIB, None)
    assert (found.label, found.compute_ratio, found.memory_ratio) == ("1g.5gb", None, None)
    assert slice_of("NVIDIA X", 14, 5 * GIB, None) is None
