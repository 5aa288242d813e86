import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.roofline.short_name import short_name, unique_names


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"),
        ("void at::native::(anonymous namespace)::vec<4, at::F>(int, T1 *)", "vec"),
        ("std::enable_if<!T7, void>::type internal::gemvx::kernel<int>(T13)", "gemvx::kernel"),
        ("void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm>(T1::Params)",
         "cutlass_80_tensorop_s16816gemm"),
        ("unnamed>::saxpy(float, const float *)", "saxpy"),
        ("void at::elementwise_kernel<4, at::gpu_kernel_impl<at::copy_kernel_cuda(int&)>>(int)",
         "elementwise_kernel<copy_kernel_cuda>"),
        ("", "(no name)"),
        ("<>", "<>"),
    ],
)  # fmt: skip
def test_short_names(full, short):
    assert short_name(full) == short


def test_kernels_that_share_a_name_are_told_apart():
    assert unique_names(
        [
            ("relu<float>(float*)", (8, 1, 1), 0),
            ("relu<half>(half*)", (8, 1, 1), 0),
            ("copy", (1, 1, 1), 0),
            ("copy", (2, 1, 1), 0),
            ("copy", (2, 1, 1), 0),
            ("sum", None, 0),
            ("sum", None, 0),
            ("gemm<1>", (4, 1, 1), 0),
            ("gemm<1>", (4, 1, 1), 1),
        ]
    ) == [
        "relu<float>", "relu<half>", "copy [1×1×1]", "copy [2×1×1] #1", "copy [2×1×1] #2",
        "sum #1", "sum #2", "gemm GPU 0", "gemm GPU 1",
    ]  # fmt: skip


@given(st.lists(st.tuples(st.text(max_size=40), st.none(), st.integers(0, 1)), max_size=12))
def test_names_are_unique_whatever_they_are(kernels):
    names = unique_names(kernels)
    assert len(set(names)) == len(kernels)


def test_numbers_do_not_meet_a_kernel_that_is_called_so():
    names = [("f", None, 0), ("f", None, 0), ("f #1", None, 0)]
    assert unique_names(names) == ["f #2", "f #3", "f #1"]


def test_a_name_of_83000_characters_is_cut_in_its_middle():
    name = short_name("void " + "x" * 83_000 + "(int)")
    assert len(name) <= 60
    assert "…" in name
