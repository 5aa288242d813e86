"""Whole files: what surrounds the rows, and what is said about them."""

import csv
import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.ncu_files import (
    BEFORE_2022,
    LAUNCH,
    LONG,
    METRIC,
    PROCESS,
    RULE,
    SUMMARY,
    ListSink,
    csv_text,
    row,
)

from nsys_walls.errors import InputError
from nsys_walls.sources import Request, Sample
from nsys_walls.sources.ncu_csv import READER
from nsys_walls.textfile import read_head

BYTES, TIME = "dram__bytes.sum", "gpu__time_duration.sum"
MEMORY_SHARE = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
SHARE = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
ONE_LAUNCH = (LONG, row(BYTES, "byte", "12,288"), row(TIME, "ns", "2,048"))


def _refused(tmp_path, content):
    path = tmp_path / "counters.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as error:
        READER.read(Request(path=path), ListSink())
    message = str(error.value)
    assert "\n" not in message
    assert message.startswith("counters.csv")
    return error.value.slug, message


def test_banners_and_program_output_surround_the_rows(read):
    read_back = read(
        'Could not deploy stock section files to "/root/Documents"\n'
        "==PROF== Connected to process 977 (/home/a/app)\n"
        'epoch 1, loss 2.310, "lr" 0.001\n'
        "10%\r20%\r\n"
        + csv_text(LONG, row(BYTES, "byte", "12,288"))
        + 'step 2, "half a quote\n'
        + "1,2,3\n"
        + '"7","8","no row"\n'
        + csv_text(row(TIME, "ns", "2,048"))
        + "\ndone, 1 step\n==PROF== Disconnected from process 977\n"
    )
    assert read_back.values == [{BYTES: 12288, TIME: 2048}]
    assert read_back.skipped == {"lines that are not CSV rows": 10}


@pytest.mark.parametrize(
    "change",
    [
        str.encode,
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: gzip.compress(text.encode()),
        lambda text: ("==PROF== Connected to process 977\r\n" + text).encode("utf-16"),
    ],
    ids=["plain", "bom", "powershell", "crlf", "gzip", "powershell-banner"],
)
def test_encodings_line_ends_and_compression(read, change):
    assert read(change(csv_text(*ONE_LAUNCH))).values == [{BYTES: 12288, TIME: 2048}]


@pytest.mark.parametrize(("delimiter", "end"), [(",", "\r\n"), (";", "\r\n"), ("\t", "\n")])
def test_files_that_a_spreadsheet_saved_again(read, delimiter, end):
    rows = [[*cells, "", ""] for cells in ONE_LAUNCH]
    text = csv_text(["==PROF== Connected", "", ""], *rows, ["", ""], quoting=csv.QUOTE_MINIMAL,
                    delimiter=delimiter, end=end)  # fmt: skip
    assert read(text).values == [{BYTES: 12288, TIME: 2048}]


def test_appended_outputs_number_their_launches_each(read):
    # the second run has the same process id, as in a container, and counts from 0 again
    one, two = (
        csv_text(LONG, row(BYTES, "byte", value), row(BYTES, "byte", value, ID="1"))
        for value in ("100", "200")
    )
    read_back = read(one + "\n==PROF== Disconnected from process 977\n\ufeff" + two)
    assert [values[BYTES] for values in read_back.values] == [100, 100, 200, 200]
    assert [launch["profile"] for launch in read_back.launches] == [0, 1, 2, 3]


def test_pages_of_different_kinds_may_follow_each_other(read):
    raw = csv_text(
        (*PROCESS, *LAUNCH, BYTES),
        [*[""] * 11, "Mbyte"],
        [*row("", "", "", columns=(*PROCESS, *LAUNCH)), "1.5"],
    )
    old = csv_text(BEFORE_2022, row(TIME, "usecond", "3.5", columns=BEFORE_2022))
    read_back = read(csv_text(*ONE_LAUNCH) + raw + old)
    assert read_back.values == [{BYTES: 12288, TIME: 2048}, {BYTES: 1_500_000}, {TIME: 3500}]


def test_rows_without_header(read):
    rows = [row(BYTES, "byte", "12,288"), row(TIME, "ns", "2,048"), row(TIME, "ns", "7", ID="1")]
    read_back = read("epoch 1\n" + csv_text(*rows))
    assert read_back.values == [{BYTES: 12288, TIME: 2048}, {TIME: 7}]
    assert read_back.launches[0]["grid_x"] == 640
    assert read_back.launches[0]["block_x"] == 128


def test_a_details_page_with_rules_and_equal_labels(read):
    columns = (*LONG, *RULE, "Estimated Speedup Type", "Estimated Speedup")
    sol, memory = "GPU Speed Of Light Throughput", "Memory Workload Analysis"
    rule = [
        *row("", "", ""),
        "SOLBottleneck",
        "OPT",
        'Uses memory well.\nSee "L2", too.',
        "global",
        "9",
    ]
    read_back = read(
        csv_text(
            columns,
            [*row("Memory Throughput", "%", "61.50", Section_Name=sol), ""],
            [*row("Duration", "us", "40.96", Section_Name=sol), ""],
            rule,
            [*row("Memory Throughput", "Gbyte/s", "912.40", Section_Name=memory), ""],
        )
    )
    (values,) = read_back.values
    assert values.pop(TIME) == 40_960
    assert values.pop(MEMORY_SHARE) == 61.5
    assert list(values.values()) == [912_400_000_000]  # the other one of the same label
    assert read_back.skipped == {"rule rows": 1}


@pytest.mark.parametrize("others", [[("27.595.520", "byte", BYTES)], [("65,77", "%", SHARE)], []])
def test_decimal_commas(read, others):
    rows = [row(name, unit, text) for text, unit, name in others]
    read_back = read(csv_text(LONG, row(TIME, "ns", "117.344"), *rows))
    assert read_back.values[0][TIME] == 117_344
    assert ("number-style" in read_back.codes) == (not others)  # inferred from the unit alone
    if others:
        assert read_back.values[0][others[0][2]] in {27_595_520, 65.77}


def test_a_number_without_any_evidence_is_read_with_a_point_and_said_so(read):
    read_back = read(csv_text(LONG, row(BYTES, "Kbyte", "98.304")))
    assert read_back.values == [{BYTES: 98_304}]
    assert read_back.codes == {"number-style"}


def test_contradictory_numbers_are_left_out_where_they_have_two_readings(read):
    read_back = read(
        csv_text(
            LONG,
            row(BYTES, "Kbyte", "98.304"),
            row(SHARE, "%", "65,77"),
            row(TIME, "us", "2.5"),
        )
    )
    assert read_back.values == [{SHARE: 65.77, TIME: 2500}]
    assert read_back.codes == {"number-style"}
    assert read_back.skipped == {"values that can't be read as numbers": 1}


def test_a_raw_page_without_units_is_said_so(read):
    columns = (*PROCESS, *LAUNCH)
    text = csv_text((*columns, BYTES), [*row("", "", "", columns=columns), "4,096"])
    read_back = read(text)
    assert read_back.values == [{BYTES: 4096}]
    assert read_back.codes == {"no-units"}


def test_launches_without_counters_are_said_so(read):
    read_back = read(csv_text(*ONE_LAUNCH, row("nothing__of.use", "", "1", ID="1")))
    (notice,) = read_back.info.warnings
    assert notice.code == "no-counters"
    assert notice.message.startswith("1 of 2 profiled launches")


def test_errors_beside_launches_are_said_so(read):
    permission = "==ERROR== ERR_NVGPUCTRPERM - The user somebody does not have permission\n"
    (notice,) = read(csv_text(*ONE_LAUNCH) + permission).info.warnings
    assert notice.code == "ncu-errors"
    assert "sudo" in notice.message
    (notice,) = read(csv_text(*ONE_LAUNCH) + "==ERROR== at /home/a\n").info.warnings
    assert notice.code == "ncu-errors"
    assert "/home" not in notice.message


def test_nothing_of_the_machine_is_stored(read):
    read_back = read("==PROF== Connected to process 977 (/secret/path)\n" + csv_text(*ONE_LAUNCH))
    assert "secret" not in repr(read_back)


@pytest.mark.parametrize(
    ("content", "cause", "todo"),
    [
        (csv_text(LONG), "no rows", "--page raw"),
        ("==PROF== Connected to process 7\n", "no rows", "--page raw"),
        (
            "==PROF== Connected to process 7 (/home/a/app)\n==ERROR== ERR_NVGPUCTRPERM - no\n",
            "ERR_NVGPUCTRPERM",
            "sudo",
        ),
        (
            "==WARNING== No kernels were profiled.\n" + csv_text(LONG),
            "profiled no kernels",
            "--target-processes all",
        ),
        (
            csv_text(
                (*SUMMARY[:3], *SUMMARY[6:]),
                ["977", "app", "host", "0", "8.6", "3", "s", BYTES, "byte", "1", "2", "1.5"],
            ),
            "names no kernels",
            "--page raw",
        ),
    ],
    ids=["header", "banner", "permission", "filter", "per-gpu"],
)
def test_files_without_launches_say_why(tmp_path, content, cause, todo):
    path = tmp_path / "x"
    path.write_text(content)
    head, compressed = read_head(path)
    assert READER.recognises(Sample(path=path, head=head, compressed=compressed))
    slug, message = _refused(tmp_path, content)
    assert slug == "no-launches"
    assert cause in message
    assert todo in message
    assert "/home" not in message


def test_damaged_gzip_is_refused(tmp_path):
    slug, _ = _refused(tmp_path, gzip.compress(csv_text(*ONE_LAUNCH).encode())[:-9])
    assert slug == "damaged-file"


def test_a_row_cut_off_at_the_end_is_left_out(read):
    whole = csv_text(*ONE_LAUNCH, row(TIME, "ns", "4,096", ID="1"))
    read_back = read(whole[:-5])
    assert read_back.values == [{BYTES: 12288, TIME: 2048}]
    assert read_back.skipped == {"rows that are cut off": 1}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"SQLite format 3\0" + bytes(2000),
        b'{"traceEvents": [{"name": "Kernel Name"}]}',
        b"Time (%),Total Time (ns),Instances,Avg (ns),Name\n9.0,1,1,1.0,k\n",
        b'"Start (ns)","GridXYZ","BlockXYZ","Name"\n',
        b"a,b,c\n1,2,3\n",
        b'"0","4242","app"\n',
        b"==4242== NVPROF is profiling process 4242\n",
        bytes(range(1, 256)) * 100,
    ],
)
def test_other_files_are_not_claimed(tmp_path, content):
    assert not READER.recognises(Sample(path=tmp_path, head=content, compressed=False))


def test_progress_is_called(tmp_path):
    path = tmp_path / "counters.csv"
    path.write_text(csv_text(LONG, *[row(TIME, "ns", "7", ID=str(at)) for at in range(25_000)]))
    calls = []
    request = Request(path=path, progress=lambda done, total: calls.append((done, total)))
    assert READER.read(request, ListSink()).rows == 25_000
    assert calls == [(0, None), (20_000, None)]


_NOISE = st.lists(
    st.text(st.characters(exclude_characters='"\x00', exclude_categories=["Cs"])).map(
        lambda text: f"x{text}\n"
    )
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    names=st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1),
    noise=_NOISE,
)
def test_hostile_names_and_noise_neither_hide_nor_invent_launches(tmp_path, names, noise):
    path = tmp_path / "counters.csv"
    lines = [csv_text(row(TIME, "ns", "7", ID=str(at), Kernel_Name=name))
             for at, name in enumerate(names)]  # fmt: skip
    between = "".join(noise)
    path.write_bytes((between + csv_text(LONG) + between.join(lines) + between).encode())
    sink = ListSink()
    READER.read(Request(path=path), sink)
    assert [launch["name"] for launch in sink.rows["counters"]] == names


@pytest.mark.parametrize("columns", [LONG, (*PROCESS, "NVTX", *LAUNCH, *METRIC)])
def test_units_and_locales_round_trip(read, columns):
    # the same launch, printed by ncu in base units, in auto units, and in Germany
    printed = {
        "base": ("1,536,000", "byte", "117,344", "ns", "65.77"),
        "auto": ("1.54", "Mbyte", "117.34", "us", "65.77"),
        "comma": ("1.536.000", "byte", "117.344", "ns", "65,77"),
        "auto comma": ("1,54", "Mbyte", "117,34", "us", "65,77"),
    }
    for size, size_unit, time, time_unit, share in printed.values():
        rows = [
            row(BYTES, size_unit, size, columns=columns),
            row(TIME, time_unit, time, columns=columns),
            row(SHARE, "%", share, columns=columns),
        ]
        (values,) = read(csv_text(columns, *rows)).values
        assert values[BYTES] == pytest.approx(1_536_000, rel=0.003)
        assert values[TIME] == pytest.approx(117_344, rel=0.0001)
        assert values[SHARE] == 65.77


def test_values_that_no_counter_can_have_are_left_out(read):
    rows = [row(BYTES, "byte", "-5"), row(TIME, "ns", "7"), row(BYTES, "byte", "1e300", ID="1")]
    read_back = read(csv_text(LONG, *rows))
    assert read_back.values == [{TIME: 7}, {}]
    assert {why.reason: why.rows for why in read_back.info.skipped}[
        "values that no counter can have"
    ] == 2
