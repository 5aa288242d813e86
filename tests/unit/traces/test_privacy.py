"""Folders in range names."""

import pyarrow as pa
import pytest

from nsys_walls.traces.privacy import without_folders


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("{'traceMarker': ['/home/ann/acme/model.py:12']}", "{'traceMarker': ['…/model.py:12']}"),
        ("load /home/ann", "load …/"),
        (r"C:\Users\ann\acme\step 3", "…/step 3"),
        ('at "/work/acme/kernels/norm.cu:4" now', 'at "…/norm.cu:4" now'),
        ("/opt/acme/python3/torch/nn/linear.py(114)", "…/linear.py(114)"),
        # names with slashes that are no places
        ("/model/layers.0/q_proj/MatMul", "/model/layers.0/q_proj/MatMul"),
        ("torch/nn/modules/linear.py(114): forward", "torch/nn/modules/linear.py(114): forward"),
        ("tokens/s", "tokens/s"),
        ("aten::mm, op_id = 3", "aten::mm, op_id = 3"),
        ("", ""),
    ],
)
def test_folders_are_left_out(name, stored):
    assert without_folders(pa.array([name, None])).to_pylist() == [stored, None]
