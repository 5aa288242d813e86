"""Headers of all generations, and rows that have lost theirs."""

import csv

import pytest
from support.ncu_files import (
    BEFORE_2022,
    LAUNCH,
    LONG,
    METRIC,
    PROCESS,
    RULE,
    SUMMARY,
    csv_text,
    row,
)

from nsys_walls.sources.ncu_csv.header import Scanner, guess_header, parse_header, shape

NVTX = ("thread Domain:Push/Pop_Range:PL_Type", "Id:Domain:Start/Stop_Range:PL_Type")
DETAILS_2025 = (*LONG, *RULE, "Estimated Speedup Type", "Estimated Speedup")
DETAILS_ALL = (*PROCESS, *LAUNCH, "Section Name", "Body Item Label", *METRIC[1:], *RULE)
RAW = (*PROCESS, *LAUNCH, "dram__bytes.sum", "gpu__time_duration.sum")


@pytest.mark.parametrize(
    ("columns", "page"),
    [
        (BEFORE_2022, "long"),
        ((*BEFORE_2022, *RULE), "long"),
        (LONG, "long"),
        ((*LONG, *RULE), "long"),
        (DETAILS_2025, "long"),
        (DETAILS_ALL, "long"),
        ((*PROCESS, *NVTX, *LAUNCH, *METRIC), "long"),
        (RAW, "raw"),
        ((*PROCESS, "Kernel Name", "Kernel Time", "launch__grid_size"), "raw"),
        (("Kernel Name", "dram__bytes.sum [byte]"), "raw"),
        (SUMMARY, "summary"),
        ((*SUMMARY[:3], *SUMMARY[6:]), "unjoinable"),
    ],
)
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_pages_of_all_generations(columns, page, quoting):
    header = parse_header("\ufeff" + csv_text(columns, quoting=quoting, end="\r\n"))
    assert header is not None
    assert header.page == page
    assert header.columns[columns[-1].casefold()] == len(columns) - 1


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_spreadsheets_use_other_delimiters_and_fill_up_lines(delimiter):
    line = csv_text((*LONG, "", "", ""), quoting=csv.QUOTE_MINIMAL, delimiter=delimiter)
    header = parse_header(line)
    assert header is not None
    assert header.delimiter == delimiter
    assert header.names == LONG


def test_output_without_a_line_end_may_stand_before_the_header():
    header = parse_header("done, 3 steps: " + csv_text(LONG))
    assert header is not None
    assert header.names == LONG


@pytest.mark.parametrize(
    "columns",
    [
        ("Time (%)", "Total Time (ns)", "Instances", "Avg (ns)", "Name"),
        ("PID", "TID", "DevId", "Count", "API Name", "Kernel Name"),  # nsys cuda_kern_exec_sum
        ("Kernel Name", "Time", "Calls"),
        ("Metric Name", "Value"),
        ("Kernel Name", "Metric Name", "Metric Value"),  # launches can't be told apart
    ],
)
def test_other_tables_are_no_pages(columns):
    assert parse_header(csv_text(columns)) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(4096, 1, 1)", (4096, 1, 1)),
        ("(4096,1,1)", (4096, 1, 1)),
        ("4096, 2, 3", (4096, 2, 3)),
        (" (7, 8, 9) ", (7, 8, 9)),
        ("(1, 2)", None),
        ("4096", None),
        ("(99999999999, 1, 1)", None),
        ("", None),
    ],
)
def test_shapes(text, expected):
    assert shape(text) == expected


@pytest.mark.parametrize("columns", [LONG, BEFORE_2022, (*PROCESS, *NVTX, *LAUNCH, *METRIC)])
@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
def test_rows_without_header_are_known_by_their_order(columns, quoting):
    header = guess_header(csv_text(row("a__b.sum", "ns", "1", columns=columns), quoting=quoting))
    assert header is not None
    assert [header.columns[name.casefold()] for name in ("ID", *METRIC)] == [
        columns.index(name) for name in ("ID", *METRIC)
    ]
    assert header.columns["kernel name"] == columns.index("Kernel Name")


@pytest.mark.parametrize(
    "line",
    [
        '"0","4242","app","host","kernel"\n',
        "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16\n",
        "1,2,(1, 2, 3),(4, 5, 6),0,8.0,a,b,c,d\n",
        '"0","1","a","h","(8, 1, 1)","(8, 1, 1)","0","8.0","s","m","u","1"\n',  # no kernel name
        "epoch 1, loss 2\n",
        "\n",
    ],
)
def test_other_lines_are_no_rows(line):
    assert guess_header(line) is None
    assert Scanner().classify(line) == ("noise", line)


def test_each_header_begins_a_new_part():
    scanner = Scanner()
    line = csv_text(LONG)
    assert scanner.classify(line)[0] == "header"
    first = scanner.header
    assert scanner.classify(line)[0] == "header"
    assert scanner.header == first
    assert scanner.header is not first


def test_output_before_a_row_is_cut_off():
    scanner = Scanner()
    scanner.classify(csv_text(LONG))
    line = csv_text(row("a__b.sum", "", "1"))
    assert scanner.classify(f"step 3... {line}") == ("row", line)
    assert scanner.classify('loss "0","1"\n')[0] == "noise"


def test_a_kernel_may_be_named_like_a_header():
    scanner = Scanner()
    scanner.classify(csv_text(LONG))
    name = "ID,Process ID,Kernel Name,Metric Name,Metric Value"
    assert scanner.classify(csv_text(row("a__b.sum", "", "1", Kernel_Name=name)))[0] == "row"
