"""Nsight Systems exports of other people, through the command line, against plain SQL."""

import hashlib
import shutil
import sqlite3
from contextlib import closing

import pytest
from support.pipeline import Page, check, parse_strictly, ranges

WITH_KERNELS = [
    "a100_nonlazy_2022.2_2.9.1",
    "a100x4_reversed_ids_2024.5_3.13.2",
    "h100x2_nccl_nvtx_2026.2_3.25.0",
    "h200_nvfuser_2024.6_3.16.1",
    "rtx3090x2_coop_2025.5_3.23.3",
    "rtx4060ti_2026.1_3.24.14",
    "rtx6000_nometa_2021.2",
    "t4_nvtx_textid_2025.3_3.20.2",
]
WITHOUT_KERNELS = {
    "nogpu_nocuda_2023.4_3.7.2": "no CUDA calls and no GPU",
    "nokernels_a100_2026.1_3.24.14": "nothing ran",
    "nokernels_drivertoonew_2025.1_3.17.2": "not supported by this build",
}


@pytest.fixture(scope="module")
def reported(real, new_desk):
    """Ingest and report a trace once, as typed in the first session of the README."""
    done = {}

    def report(name):
        if name not in done:
            desk = new_desk()
            path = real(f"nsys/{name}.sqlite")
            desk.ingest(path)
            typed = desk.type("report", "--hw", "a100")
            assert typed.code == 0, typed.err
            page = Page(desk.folder / "reports" / f"{name}.html")
            document = desk.document("--hw", "a100")
            assert page.document == document
            done[name] = path, document, page
        return done[name]

    return report


def query(path, sql):
    """Ask a trace without touching it."""
    with closing(sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def tables(path):
    """Name the tables of a trace."""
    return {name for (name,) in query(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_launches_and_times_equal_a_plain_query(reported, name):
    path, document, _ = reported(name)
    expected = {
        (full, (gx, gy, gz), (bx, by, bz)): (launches, time_ns)
        for full, gx, gy, gz, bx, by, bz, launches, time_ns in query(
            path,
            """
            SELECT value, gridX, gridY, gridZ, blockX, blockY, blockZ, COUNT(*), SUM("end" - start)
            FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName
            GROUP BY 1, 2, 3, 4, 5, 6, 7
            """,
        )
    }
    found = {}
    for row in document["kernels"]:
        key = row["full_name"], tuple(row["grid"]), tuple(row["block"])
        launches, time_ns = found.get(key, (0, 0))
        found[key] = launches + row["launches"], time_ns + row["time_ns"]
    assert found == expected


def union_ns(intervals):
    """Measure a union of intervals, ns."""
    total, reached = 0, None
    for start, end in sorted(intervals):
        begin = start if reached is None else max(start, reached)
        total += max(0, end - begin)
        reached = end if reached is None else max(reached, end)
    return total


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_busy_copy_and_idle_time_equal_a_plain_sweep(reported, name):
    path, document, _ = reported(name)
    kernels, others = {}, {}
    for kind in ("KERNEL", "MEMCPY", "MEMSET"):
        table = f"CUPTI_ACTIVITY_KIND_{kind}"
        if table in tables(path):
            into = kernels if kind == "KERNEL" else others
            for device, start, end in query(path, f'SELECT deviceId, start, "end" FROM {table}'):  # noqa: S608 # our own
                into.setdefault(device, []).append((start, end))
    assert {device["device"] for device in document["devices"]} == set(kernels)
    for device in document["devices"]:
        own = kernels[device["device"]]
        everything = own + others.get(device["device"], [])
        span = max(end for _, end in everything) - min(start for start, _ in everything)
        busy, union = union_ns(own), union_ns(everything)
        totals = device["totals"]
        assert totals["span_ns"] == span
        assert totals["busy_ns"] == busy
        assert totals["copy_ns"] == union - busy
        assert totals["idle_ns"] == span - union


@pytest.mark.parametrize("name", WITH_KERNELS)
def test_the_page_is_small_and_gives_nothing_away(reported, name):
    path, _, page = reported(name)
    assert page.size < 3_000_000
    forbidden = {"/home/", "/Users/", str(path.parent)}
    personal = (
        ("META_DATA_EXPORT", "name LIKE '%HOST%' OR name LIKE '%USER%' OR name LIKE '%PATH%'"),
        ("EXPORT_META_DATA", "name LIKE '%HOST%' OR name LIKE '%USER%' OR name LIKE '%PATH%'"),
        ("META_DATA_CAPTURE", "name LIKE '%HOST%' OR name LIKE '%USER%' OR name LIKE '%ARG%'"),
        ("TARGET_INFO_SYSTEM_ENV", "1"),
    )
    for table, condition in personal:
        if table in tables(path):
            sql = f"SELECT value FROM {table} WHERE {condition}"  # noqa: S608 # our own
            forbidden |= {str(value) for (value,) in query(path, sql) if len(str(value)) > 4}
    assert [text for text in forbidden if text in page.text] == []


@pytest.mark.parametrize("name", WITHOUT_KERNELS)
def test_a_trace_without_kernels_says_why_and_leaves_no_run(real, desk, name):
    done = desk.type("ingest", real(f"nsys/{name}.sqlite"))
    assert (done.code, done.out) == (1, "")
    assert done.err.count("\n") == 1
    assert done.slugs == ["no-kernels"]
    assert WITHOUT_KERNELS[name] in done.err
    assert desk.runs() == []


@pytest.mark.parametrize(
    ("name", "hardware"),
    [
        ("a100_nonlazy_2022.2_2.9.1", "a100-sxm4-40"),
        ("a100x4_reversed_ids_2024.5_3.13.2", "a100-sxm4-80"),
        ("h200_nvfuser_2024.6_3.16.1", "h200-sxm"),
        ("rtx3090x2_coop_2025.5_3.23.3", "rtx3090"),
        ("t4_nvtx_textid_2025.3_3.20.2", "t4"),
        # in no table: peaks follow from SMs and clock
        ("rtx4060ti_2026.1_3.24.14", None),
        ("rtx6000_nometa_2021.2", None),
    ],
)
def test_the_gpu_is_known_from_the_trace(real, desk, name, hardware):
    path = real(f"nsys/{name}.sqlite")
    (device,) = desk.report(path)["devices"]
    assert device["hardware"] == hardware
    assert device["hardware_from"] == ("trace-name" if hardware else "derived")
    (expected, *_) = query(path, "SELECT name, memoryBandwidth, smCount FROM TARGET_INFO_GPU")
    assert (device["name"], device["bandwidth_bytes_per_s"], device["sm_count"]) == expected
    assert device["bandwidth_from"] == "trace"


def test_a_trace_without_any_gpu_asks_for_one(real, desk):
    desk.ingest(real("nsys/h100x2_nccl_nvtx_2026.2_3.25.0.sqlite"))
    done = desk.type("report")
    assert (done.code, done.slugs) == (2, ["no-hardware"])
    assert "--hw" in done.err
    assert not (desk.folder / "reports").exists()


def test_calls_that_are_recorded_twice_do_not_double_a_range(reported):
    # cudaLaunchKernel and cudaLaunchKernel_v7000 share their correlation ids
    _, document, _ = reported("a100_nonlazy_2022.2_2.9.1")
    assert document["totals"]["kernel_ns"] == 88_573_480
    assert sum(row["self_time_ns"] for row in document["ranges"]) == 88_573_480
    assert max(ranges(document).values()) == 88_573_480


def test_collectives_of_two_gpus_are_communication(reported):
    path, document, _ = reported("h100x2_nccl_nvtx_2026.2_3.25.0")
    ((expected,),) = query(
        path,
        """
        SELECT SUM("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL
        JOIN StringIds ON id = shortName WHERE value LIKE 'nccl%Kernel%'
        """,
    )
    assert document["totals"]["communication_ns"] == expected
    assert len(document["devices"]) == 2
    # 24 launches have no call, so no range
    (outside,) = [row for row in document["ranges"] if row["name"] == "(outside)"]
    assert outside["launches"] >= 24


@pytest.mark.parametrize("name", ["rtx6000_nometa_2021.2", "h200_nvfuser_2024.6_3.16.1"])
def test_a_protected_input_is_left_alone(real, desk, tmp_path, name):
    folder = tmp_path / "archive"
    folder.mkdir()
    path = folder / "trace.sqlite"
    shutil.copyfile(real(f"nsys/{name}.sqlite"), path)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    path.chmod(0o444)
    folder.chmod(0o555)
    try:
        desk.ingest(path)
        typed = desk.type("report", "--hw", "a100", "--format", "json", "-o", "-")
        assert typed.code == 0
        check(parse_strictly(typed.out))
        assert [entry.name for entry in folder.iterdir()] == ["trace.sqlite"]
    finally:
        folder.chmod(0o755)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_the_real_folder_itself_is_left_alone(real, reported):
    folder = real("nsys")
    before = sorted((entry.name, entry.stat().st_mtime_ns) for entry in folder.iterdir())
    for name in WITH_KERNELS:
        reported(name)
    assert sorted((entry.name, entry.stat().st_mtime_ns) for entry in folder.iterdir()) == before
