"""Real traces, written as folders of Parquet and Arrow files: the report stays the same."""

import pytest
from support.arrow_dirs import report_of, write_folder

# one of them does not say what it ran on
TRACES = {
    "a100x4_reversed_ids_2024.5_3.13.2": (),
    "h100x2_nccl_nvtx_2026.2_3.25.0": ("--hw", "h100-sxm5"),
    "t4_nvtx_textid_2025.3_3.20.2": (),
}


@pytest.mark.parametrize("container", ["parquetdir", "arrowdir"])
@pytest.mark.parametrize("name", TRACES)
def test_a_real_trace_reports_the_same_from_a_folder(real, new_desk, name, container):
    path = real(f"nsys/{name}.sqlite")
    from_file, from_folder = new_desk(), new_desk()
    folder = write_folder(path, container, folder=from_folder.folder / path.name, narrow=True)
    expected, said, sources = report_of(from_file, path, *TRACES[name])
    found, also_said, also_sources = report_of(from_folder, folder, *TRACES[name])
    assert found == expected
    assert also_said == said
    kind = {"parquetdir": "nsys-parquet", "arrowdir": "nsys-arrow"}[container]
    assert also_sources == [sources[0] | {"kind": kind}]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nogpu_nocuda_2023.4_3.7.2", "no CUDA calls and no GPU"),
        ("nokernels_drivertoonew_2025.1_3.17.2", "CUDA driver version (13.3) is not supported"),
    ],
)
def test_a_real_trace_without_kernels_says_the_same_from_a_folder(real, desk, name, words):
    folder = write_folder(real(f"nsys/{name}.sqlite"), folder=desk.folder / "empty_pqtdir")
    done = desk.type("ingest", folder)
    assert (done.code, done.slugs) == (1, ["no-kernels"])
    assert done.err.startswith("nsys-walls: empty_pqtdir: no kernels: ")
    assert words in done.err
