import dataclasses

import pytest

from nsys_walls.errors import UsageError
from nsys_walls.roofline.walls import CounterPeaks, DeviceFacts, WallOptions, resolve_walls

GB = 1e9
T = 1e12

A100 = DeviceFacts(
    device=0,
    name="NVIDIA A100-SXM4-40GB",
    chip="GA100",
    compute_capability="8.0",
    sm_count=108,
    clock_hz=1410e6,
    bandwidth_bytes_per_s=1555.2 * GB,
    memory_bytes=42297524224,
    discrete=True,
)


def facts(**changes):
    return dataclasses.replace(A100, **changes)


def resolve(facts, counters=None, **options):
    return resolve_walls(facts, WallOptions(**options), counters)


def codes(found):
    return [notice.code for notice in found.warnings]


def test_a_card_of_the_table():
    found = resolve(A100)
    assert (found.hardware.id, found.hardware_from) == ("a100-sxm4-40", "trace-name")
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (1555.2 * GB, "trace")
    assert found.walls.peak_flop_per_s["fp16_tensor"] == 312 * T
    assert set(found.peak_from.values()) == {"table"}
    assert found.documents.keys() == found.walls.peak_flop_per_s.keys()
    assert "A100 Tensor Core GPU Architecture" in str(found.documents["fp32"])
    assert "checked 20" in str(found.documents["fp32"])
    assert (found.mig, found.sm_count, found.warnings) == (None, 108, ())


def test_thresholds_are_handed_through():
    walls = resolve(A100, near_ratio=0.7, balance_factor=0.4).walls
    assert (walls.near_ratio, walls.balance_factor) == (0.7, 0.4)


def test_options_win_one_by_one():
    found = resolve(A100, bandwidth_bytes_per_s=1 * GB, peak_flop_per_s={"fp32": 2 * T})
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (1 * GB, "option")
    assert found.walls.peak_flop_per_s["fp32"] == 2 * T
    assert found.walls.peak_flop_per_s["fp64"] == 9.7 * T
    assert (found.peak_from["fp32"], found.peak_from["fp64"]) == ("option", "table")
    assert "fp32" not in found.documents
    assert found.warnings == ()


def test_a_precision_that_does_not_exist_is_refused():
    with pytest.raises(UsageError, match=r"--peak 'fp17' is no precision; expected one of fp64"):
        resolve(A100, peak_flop_per_s={"fp17": T})


@pytest.mark.parametrize(
    ("name", "reported", "wall", "origin"),
    [
        # within 15 % of the table the trace is more exact than the sheet
        ("NVIDIA H200", 4916.7, 4916.7, "trace"),
        ("NVIDIA A10", 600.096, 600.096, "trace"),
        ("NVIDIA A10", 509.0, 600, "table"),  # 15.2 % below
        ("NVIDIA A10", 691.0, 600, "table"),  # 15.2 % above
        ("NVIDIA A10", None, 600, "table"),
        ("NVIDIA A10", 0, 600, "table"),
    ],
)
def test_bandwidth_of_the_trace_where_plausible(name, reported, wall, origin):
    reported = reported and reported * GB
    found = resolve(facts(name=name, sm_count=None, bandwidth_bytes_per_s=reported))
    assert found.walls.bandwidth_bytes_per_s == pytest.approx(wall * GB)
    assert found.bandwidth_from == origin
    assert ("bandwidth_bytes_per_s" in found.documents) == (origin == "table")
    assert ("implausible-bandwidth" in codes(found)) == (origin == "table" and bool(reported))


def test_an_integrated_gpu_reports_a_wrong_bandwidth():
    orin = DeviceFacts(
        device=0, name="Orin", compute_capability="8.7", sm_count=16, clock_hz=1.3e9,
        bandwidth_bytes_per_s=30.1 * GB, discrete=False,
    )  # fmt: skip
    found = resolve(orin)
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (204.8 * GB, "table")
    (warning,) = found.warnings
    assert warning.code == "implausible-bandwidth"
    assert "30.1 GB/s can't be right for orin-agx-64; 205 GB/s of the table" in warning.message


def test_another_part_of_the_same_name_does_not_get_the_table_s_numbers():
    """Every Orin is called Orin; this one has half the SMs, and its bandwidth is unknown."""
    orin = DeviceFacts(
        device=1, name="Orin", compute_capability="8.7", sm_count=8, clock_hz=1e9,
        bandwidth_bytes_per_s=30.1 * GB, discrete=False,
    )  # fmt: skip
    found = resolve(orin)
    assert (found.hardware, found.hardware_from) == (None, "derived")
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (None, None)
    assert found.walls.peak_flop_per_s["fp32"] == 8 * 1e9 * 256
    assert codes(found) == ["hardware-variant", "implausible-bandwidth", "derived-walls"]
    assert "give --bandwidth" in found.warnings[1].message
    # the card with 12 GB: 70 SMs and 912 GB/s, not 68 and 760
    rtx3080 = facts(
        name="NVIDIA GeForce RTX 3080", compute_capability="8.6", sm_count=70, clock_hz=1710e6,
        bandwidth_bytes_per_s=912 * GB,
    )  # fmt: skip
    found = resolve(rtx3080)
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (912 * GB, "trace")
    # 70 x 1.71 GHz x 512
    assert found.walls.peak_flop_per_s["fp16_tensor"] == pytest.approx(61.2864 * T)


def test_an_unknown_name_keeps_its_own_bandwidth_and_gets_no_peak_of_another_card():
    found = resolve(facts(name="NVIDIA Graphics Device", bandwidth_bytes_per_s=1700 * GB))
    assert (found.hardware, found.hardware_from) == (None, None)
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (1700 * GB, "trace")
    assert (found.walls.peak_flop_per_s, found.documents) == ({}, {})
    (warning,) = found.warnings
    assert warning.code == "unknown-hardware"
    assert "'NVIDIA Graphics Device'" in warning.message
    assert "--hw" in warning.message
    assert "--peak" in warning.message


def test_an_unknown_name_with_a_peak_from_the_user_is_no_trouble():
    found = resolve(facts(name="NVIDIA Graphics Device"), peak_flop_per_s={"fp32": T})
    assert found.walls.peak_flop_per_s == {"fp32": T}
    assert found.warnings == ()


def test_a_geforce_outside_the_table_is_derived_and_said_so():
    ti = facts(
        name="NVIDIA GeForce RTX 3070 Ti", chip="GA104", compute_capability="8.6", sm_count=48,
        clock_hz=1770e6, bandwidth_bytes_per_s=608 * GB,
    )  # fmt: skip
    found = resolve(ti)
    assert (found.hardware, found.hardware_from) == (None, "derived")
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (608 * GB, "trace")
    # 48 x 1.77 GHz = 84.96e9 SM clocks per second; 256 and 512 FLOP each
    assert found.walls.peak_flop_per_s["fp32"] == pytest.approx(21.74976 * T)
    assert found.walls.peak_flop_per_s["fp16_tensor"] == pytest.approx(43.49952 * T)
    assert set(found.peak_from.values()) == {"derived"}
    assert str(found.documents["fp32"]).startswith("SMs x clock x rate: ")
    (warning,) = found.warnings
    assert warning.code == "derived-walls"
    assert "'NVIDIA GeForce RTX 3070 Ti'; its compute walls are derived: 48 SMs x 1.77 GHz" in (
        warning.message
    )


@pytest.mark.parametrize("missing", ["sm_count", "clock_hz", "compute_capability"])
def test_nothing_is_derived_from_less(missing):
    found = resolve(facts(name="NVIDIA GeForce RTX 3070 Ti", **{missing: None}))
    assert found.walls.peak_flop_per_s == {}
    assert codes(found) == ["unknown-hardware"]


def test_the_table_is_not_filled_up_with_derived_peaks():
    """An L40 has half the tensor rate of its compute capability; what it lacks stays out."""
    found = resolve(facts(name="NVIDIA L40", compute_capability="8.9", sm_count=142))
    assert "fp16_tensor_fp16acc" not in found.walls.peak_flop_per_s
    assert set(found.peak_from.values()) == {"table"}


def test_only_existing_walls():
    p100 = DeviceFacts(
        device=0, name="Tesla P100-PCIE-16GB", compute_capability="6.0", sm_count=56,
        clock_hz=1328.5e6, bandwidth_bytes_per_s=732.16 * GB,
    )  # fmt: skip
    peaks = resolve(p100).walls.peak_flop_per_s
    assert set(peaks) == {"fp64", "fp32", "fp16"}
    assert peaks["fp64"] == pytest.approx(4.76 * T)  # 56 x 1.3285 GHz x 64


def test_counters_are_the_last_resort():
    counters = CounterPeaks(
        bandwidth_bytes_per_s=1.9e12, peak_flop_per_s={"fp32": 30 * T, "fp4_tensor": 5 * T}
    )
    nameless = DeviceFacts(device=0)
    found = resolve(nameless, counters)
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (1.9e12, "ncu")
    assert found.peak_from == {"fp32": "ncu", "fp4_tensor": "ncu"}
    assert (found.hardware_from, found.documents, found.warnings) == (None, {}, ())
    known = resolve(A100, counters)
    assert known.bandwidth_from == "trace"
    assert (known.peak_from["fp32"], known.peak_from["fp4_tensor"]) == ("table", "ncu")
    assert resolve(facts(bandwidth_bytes_per_s=None), counters).bandwidth_from == "table"


def test_nothing_known_is_nothing_found():
    found = resolve(DeviceFacts(device=0))
    assert (found.walls.bandwidth_bytes_per_s, found.walls.peak_flop_per_s) == (None, {})
    assert (found.sm_count, found.warnings) == (None, ())


@pytest.mark.parametrize(
    ("name", "sm_count", "reported", "bandwidth", "origin", "fp16_tensor"),
    [
        # the field is the full card's: table 2039 x 2/8, 28 of 108 SMs
        ("NVIDIA A100-SXM4-80GB MIG 2g.20gb", 28, 2039.04, 2039 / 4, "table", 312 * 28 / 108),
        # the field is the slice's: 466.6 of 933 GB/s, never scaled again
        ("NVIDIA A30 MIG 2g.12gb", 28, 466.6, 466.6, "trace", 165 / 2),
        # no field at all
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", 14, None, 1555 / 8, "table", 312 * 14 / 108),
    ],
)
def test_a_mig_slice_has_walls_of_its_own(name, sm_count, reported, bandwidth, origin, fp16_tensor):
    reported = reported and reported * GB
    found = resolve(facts(name=name, sm_count=sm_count, bandwidth_bytes_per_s=reported))
    assert found.mig == name.rpartition(" ")[2]
    assert found.sm_count == sm_count
    assert found.walls.bandwidth_bytes_per_s == pytest.approx(bandwidth * GB)
    assert found.bandwidth_from == origin
    assert found.walls.peak_flop_per_s["fp16_tensor"] == pytest.approx(fp16_tensor * T)
    assert codes(found) == ["mig-slice"]
    assert f"({found.mig})" in found.warnings[0].message


def test_a_slice_keeps_its_card_with_an_alias():
    name = "NVIDIA A100-SXM4-80GB MIG 2g.20gb"
    found = resolve(facts(name=name, sm_count=28, memory_bytes=21e9), hw="a100")
    assert (found.hardware.id, found.hardware_from) == ("a100-sxm4-80", "option")
    assert found.walls.bandwidth_bytes_per_s == pytest.approx(2039 * GB / 4)


def test_a_slice_of_unknown_size_has_no_compute_walls():
    found = resolve(facts(name="NVIDIA A100-SXM4-40GB MIG 3g.20gb", sm_count=None))
    assert found.walls.peak_flop_per_s == {}
    assert found.walls.bandwidth_bytes_per_s == pytest.approx(1555 * GB / 2)
    assert "an unknown part of the card's SMs and 50 % of its memory" in found.warnings[0].message


def test_a_slice_of_an_unknown_card_keeps_what_the_trace_says():
    found = resolve(facts(name="NVIDIA X1 MIG 1g.5gb", sm_count=14))
    assert (found.mig, found.bandwidth_from) == ("1g.5gb", "trace")
    assert codes(found) == ["mig-slice", "unknown-hardware"]


def test_asking_for_another_card_is_obeyed_and_said():
    found = resolve(A100, hw="t4")
    assert (found.hardware.id, found.hardware_from) == ("t4", "option")
    # 1555 GB/s of the trace are no T4's
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (320 * GB, "table")
    assert found.walls.peak_flop_per_s["fp16_tensor"] == 65 * T
    (warning,) = found.warnings
    assert warning.code == "hw-contradicts-trace"
    assert "--hw t4" in warning.message
    assert "'NVIDIA A100-SXM4-40GB'" in warning.message


def test_a_contradicted_card_is_not_taken_for_a_slice():
    found = resolve(facts(name="Tesla T4", sm_count=40), hw="a100-sxm4-80")
    assert found.mig is None
    assert found.walls.peak_flop_per_s["fp16_tensor"] == 312 * T


def test_an_unknown_name_is_contradicted_by_its_compute_capability():
    other = facts(name=None, compute_capability="9.0")
    (warning,) = resolve(other, hw="a100-sxm4-40").warnings
    assert warning.code == "hw-contradicts-trace"
    assert "the input says compute capability 9.0" in warning.message
    assert resolve(facts(name="NVIDIA Graphics Device"), hw="a100-sxm4-40").warnings == ()


def test_an_alias_that_the_input_does_not_decide_is_a_guess_and_said_so():
    found = resolve(DeviceFacts(device=0), hw="h100")
    assert found.hardware.id == "h100-sxm5"
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (3352 * GB, "table")
    assert str(found.documents["bandwidth_bytes_per_s"]).endswith("(second hand, 2026-11-30)")
    assert found.sm_count == 132
    assert codes(found) == ["ambiguous-hardware"]
    assert "h100-pcie, h100-nvl" in found.warnings[0].message


def test_an_alias_is_decided_by_the_input():
    assert resolve(A100, hw="a100").hardware.id == "a100-sxm4-40"
    assert resolve(A100, hw="a100").warnings == ()


def test_a_file_of_the_user(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'name = "Mine"\nbandwidth_bytes_per_s = 1500e9\n[peak_flop_per_s]\nfp32 = 19e12\n'
    )
    found = resolve(A100, hw=str(path))
    assert (found.hardware.id, found.hardware_from) == ("mine", "option")
    assert (found.walls.bandwidth_bytes_per_s, found.bandwidth_from) == (1555.2 * GB, "trace")
    assert found.walls.peak_flop_per_s == {"fp32": 19 * T}
    assert {key: str(cited) for key, cited in found.documents.items()} == {"fp32": "mine.toml"}
    assert found.warnings == ()
    path.write_text('name = "Mine"\nbandwidth_bytes_per_s = 1500e9\ncompute_capability = "9.0"\n')
    assert codes(resolve(A100, hw=str(path))) == ["hw-contradicts-trace"]


def test_an_unknown_option_is_refused():
    with pytest.raises(UsageError, match="'a1000' is no GPU"):
        resolve(A100, hw="a1000")


def test_every_device_of_real_traces_has_walls(real):
    import sqlite3

    expected = {
        "nsys/rtx4060ti_2026.1_3.24.14.sqlite": ("derived", 34 * 2565e6 * 256, 288.032 * GB),
        "nsys/rtx6000_nometa_2021.2.sqlite": ("derived", 72 * 1770e6 * 128, 672.096 * GB),
        "nsys/h200_nvfuser_2024.6_3.16.1.sqlite": ("trace-name", 66.9 * T, 4916.736 * GB),
        "nsys/t4_nvtx_textid_2025.3_3.20.2.sqlite": ("trace-name", 8.1 * T, 320.064 * GB),
    }
    for name, (origin, fp32, bandwidth) in expected.items():
        with sqlite3.connect(f"file:{real(name)}?immutable=1", uri=True) as connection:
            row = connection.execute(
                "SELECT name, chipName, computeMajor || '.' || computeMinor, smCount, clockRate, "
                "memoryBandwidth, totalMemory FROM TARGET_INFO_GPU"
            ).fetchone()
        connection.close()
        keys = (
            "name", "chip", "compute_capability", "sm_count", "clock_hz", "bandwidth_bytes_per_s",
            "memory_bytes",
        )  # fmt: skip
        found = resolve(DeviceFacts(device=0, **dict(zip(keys, row, strict=True))))
        assert found.hardware_from == origin
        assert found.walls.peak_flop_per_s["fp32"] == pytest.approx(fp32)
        assert found.walls.bandwidth_bytes_per_s == bandwidth


def test_an_l4_is_recognised_by_the_58_multiprocessors_that_it_reports():
    facts = DeviceFacts(
        device=0,
        name="NVIDIA L4",
        compute_capability="8.9",
        sm_count=58,
        bandwidth_bytes_per_s=300.096e9,
    )
    found = resolve_walls(facts, WallOptions())
    assert (found.hardware.id, found.hardware_from, found.warnings) == ("l4", "trace-name", ())
