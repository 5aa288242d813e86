"""Kernel names are read as an engineer would read them."""

import sqlite3
import time
import tomllib
from contextlib import closing
from importlib.resources import files

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nsys_walls.roofline.kernel_class import KernelClass, classify, op_classes, row_id

TABLES = tomllib.loads(
    files("nsys_walls").joinpath("data", "kernel_classes.toml").read_text("utf-8")
)
RULES = {table: rows for table, rows in TABLES.items() if table != "op_class"}
LONGEST_KNOWN_CHARS = 83_000


def _of_rows(key):
    return [
        pytest.param(table, row["id"], name, id=f"{table}-{row['id']}-{number}")
        for table, rows in RULES.items()
        for row in rows
        for number, name in enumerate(row.get(key, []))
    ]


@pytest.mark.parametrize(("table", "row", "name"), _of_rows("examples"))
def test_an_example_is_decided_by_its_row(table, row, name):
    assert row_id(name, table) == row


@pytest.mark.parametrize(("table", "row", "name"), _of_rows("counter_examples"))
def test_a_counter_example_is_not_decided_by_its_row(table, row, name):
    assert row_id(name, table) != row


@pytest.mark.parametrize("table", RULES)
def test_every_row_has_an_id_of_its_own_an_example_and_a_pattern(table):
    ids = [row["id"] for row in RULES[table]]
    assert len(ids) == len(set(ids))
    for row in RULES[table]:
        assert row["examples"], row["id"]
        assert {"function", "inner", "types", "text"} & row.keys(), row["id"]


def test_rows_use_the_vocabulary():
    assert {row["op_class"] for row in TABLES["class"]} <= op_classes().keys()
    assert list(op_classes())[-1] == "other"


# Names as profilers print them, labelled by hand; "-" where nothing is claimed.
LABELLED = """
gemm            fp16      yes  volta_fp16_s884gemm_fp16_256x64_ldg8_f2f_nt
gemm            fp16      yes  ampere_h16816gemm_128x64_ldg8_stages_64x3_tn
gemm            bf16      yes  ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn
gemm            fp32      no   maxwell_sgemm_128x64_raggedMn_tn_splitK
gemm            fp64      no   volta_dgemm_128x64_nn
gemm            complex64 no   volta_gcgemm_32x32_nt
gemm            int8      no   turing_igemm_int8_128x128_ldg4_nn
gemm            int8      yes  ampere_int32_i16832gemm_int8_128x128_ldg16_stages_64x3_tn
gemm            bf16      yes  sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x256x64_warpgroupsize2x1x1_execute_segment_k_off_kernel__5x_cublas
gemm            fp32      no   sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_aligna4_alignc4_execute_kernel__5x_cublas
gemm            tf32      yes  sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32_stage3_warpsize2x2x1_tensor16x8x8_execute_kernel__5x_cublas
gemm            fp8       yes  sm89_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize128x64x64_stage4_warpsize2x2x1_tensor16x8x32_execute_kernel__5x_cublas
gemm            fp16      yes  nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_NTT
gemm            bf16      yes  nvjet_sm100_tst_16x64_64x16_4x1_v_bz_TNN
gemm            fp8       yes  nvjet_sm100_qqtst_128x256_128x6_2x1_2cta_v_bz_bias_TNT
gemm            fp4       yes  nvjet_sm100_ootst_128x192_128x5_2x1_2cta_v_bz_Avec16UE4M3_Bvec16UE4M3_TNT
gemm            fp64      yes  void cutlass::Kernel2<cutlass_80_tensorop_d884gemm_64x64_16x4_nn_align1>(T1::Params)
gemm            fp32      no   void cutlass::Kernel2<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(T1::Params)
gemm            fp16      no   void gemvNSP_kernel<__half, __half, __half, float, 1, 32, 4, 1024, cublasGemvParamsEx<int>>(T9)
gemm            fp64      no   void cublasLt::splitKreduce_kernel<(int)32, (int)16, int, double, double, double, double, (bool)1>(cublasLt::cublasSplitKParams<T6>)
gemm            -         yes  fused_moe_kernel_gptq_awq
gemm            fp32      -    gemm_tiled(const float *, const float *, float *, int)
gemm            fp64      -    matrixMultiply(double *, double *, double *, int, int, int)
conv            fp16      yes  turing_fp16_s1688cudnn_fp16_128x128_ldg8_relu_f2f_exp_small_nhwc_tn_v1
conv            tf32      yes  cutlass_80_tensorop_s1688dgrad_optimized_tf32_128x128_16x4_nhwc_unity_stride_align4
conv            int8      yes  sm75_xmma_fprop_implicit_gemm_interleaved_i8i8_i8i32_f32_nchw_vect_c_32kcrs_vect_c_32_nchw_vect_c_32_tilesize96x64x64_stage1_warpsize2x2x1_g1_tensor8x8x16_t1r3s3_execute_kernel_trt
conv            fp32      no   void cudnn::winograd_nonfused::winogradWgradData4x4<float, float>(cudnn::winograd_nonfused::WinogradDataParams<float, float>)
conv            fp32      no   void explicit_convolve_sgemm<float, int, 128, 5, 5, 3, 3, 3, 0, true>(int, int, int, float const*)
conv            fp32      no   void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<3, float, int>(T1)
attention       fp16      yes  void flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<64, 64, 256, 4, false, false, cutlass::half_t>, false>(flash::Flash_fwd_params)
attention       bf16      no   void flash::flash_bwd_convert_dq_kernel<Flash_bwd_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t>>(flash::Flash_bwd_params, int)
attention       bf16      yes  void cutlass::device_kernel<flash::enable_sm90<flash::FlashAttnFwdSm90<flash::CollectiveMainloopFwdSm90<2, 128, cutlass::bfloat16_t>>>>(T1::Params)
attention       -         no   void vllm::paged_attention_v1_kernel<unsigned short, unsigned short, 128, 16, 128>(T1)
attention       fp16      yes  cudnn_generated_fort_native_sdpa_sm80_flash_bprop_f16_knob_3_128x64x64
attention       bf16      yes  fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausalP16VarSeqQ128Kv128PersistentContext
norm            fp16      no   void cudnn::batchnorm_fwtr_nhwc_semiPersist<__half, 4>(T1)
norm            fp32      no   void at::native::(anonymous namespace)::RowwiseMomentsCUDAKernel<float>(long, float, float const*)
norm            fp32      no   group_norm_f32
norm            -         no   triton_red_fused_native_group_norm_2
softmax         bf16      no   void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, c10::BFloat16, float, c10::BFloat16>(T1)
softmax         -         no   triton_per_fused__softmax_add_masked_fill_2
elementwise     fp32      no   void at::native::vectorized_elementwise_kernel<4, at::native::sigmoid_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}, std::array<char*, 2ul> >(int)
elementwise     -         no   triton_poi_fused_add_mm_7
elementwise     -         no   loop_multiply_fusion_3
elementwise     fp32      no   vecAdd(float const *, float const *, float*, int)
elementwise     fp64      no   cupy_subtract__float64_float64_float64
copy            bf16      no   void at::native::vectorized_elementwise_kernel<8, at::native::bfloat16_copy_kernel_cuda(at::TensorIteratorBase &)::[lambda(float) (instance 1)]>(int, T2, T3)
copy            -         no   triton_poi_fused_clone_permute_view_9
copy            fp32      no   void tensorflow::functor::SwapDimension1And2InTensor3UsingTiles<float, 256, 32, 32, false>(float const*)
copy            fp32      no   void convertTensor_kernel<float, float, float, (cudnnKernelDataType_t)2>(float, float const*)
reduce          fp64      no   void cub::DeviceReduceKernel<cub::DeviceReducePolicy<double, unsigned int>::Policy600, double *, double *>(T2)
reduce          -         no   input_reduce_fusion_116
reduce          fp32      no   void dot_kernel<float, 128, 0, cublasDotParams<cublasGemvTensor<const float>>>(T4)
embedding       fp32      no   void at::native::(anonymous namespace)::indexSelectSmallIndex<float, long, unsigned int, 2, 2, -2>(T1)
embedding       -         no   triton_poi_fused_embedding_4
fft             fp32      no   void regular_fft<256, 8, 16, (padding_t)1, unsigned int, float>(kernel_arguments_t<unsigned int>)
sampling        -         no   void at::native::mbtopk::radixFindKthValues<float, unsigned int, unsigned int, 4, 2>(T1)
sampling        -         no   void flashinfer::sampling::TopPRenormProbKernel<1024>(T1)
optimizer       fp32      no   void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float, float, int>, float, float>(long, T1)
optimizer       fp32      no   void kOptimizer32bit1State<float, 1>(float*, float*)
rope            -         no   void flashinfer::BatchQKApplyRotaryPosIdsCosSinCacheKernel<true, 128>(T1)
kv_cache        bf16      no   void vllm::concat_and_cache_mla_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDataType)0>(T1)
moe             -         no   void vllm::moe::moe_align_block_size_kernel<int>(int const*)
quantize        fp8       no   void vllm::dynamic_per_token_scaled_fp8_quant_kernel<c10::BFloat16, c10::Float8_e4m3fn>(T1)
random          fp32      no   void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float, float, unsigned int, 1, 2>(T1)
memset          -         no   void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<int>, std::array<char *, 1>>(int, T2, T3)
memset          -         no   Memset (Unknown)
memcpy          -         no   [CUDA memcpy Peer-to-Peer]
comm_allreduce  fp16      no   ncclAllReduceRingLLKernel_sum_f16(ncclColl)
comm_allgather  -         no   ncclDevKernel_AllGather_RING_SIMPLE
comm_reducescatter fp32   no   ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)
comm_alltoall   -         no   void deep_ep::internode::dispatch<false, 1, false, 65536, 8>(T1)
comm_sendrecv   -         no   ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)
comm_broadcast  -         no   ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)
comm_reduce     fp32      no   ncclDevKernel_Reduce_Sum_f32_RING_LL
comm_other      -         no   ncclDevKernel_Generic
other           fp32      no   void at::native::(anonymous namespace)::avg_pool2d_out_cuda_frame<float, float, int>(T1)
other           fp64      no   void trsv_lt_up_kernel<double, 32>(T1)
"""  # noqa: E501  # names are as long as they are
CLAIMS = {"yes": True, "no": False, "-": None}


@pytest.mark.parametrize("line", LABELLED.strip().splitlines())
def test_names_of_the_libraries(line):
    op_class, precision, tensor_core, name = line.split(maxsplit=3)
    found = classify(name)
    assert found.op_class == op_class
    assert found.tensor_core is CLAIMS[tensor_core]
    if precision != "-":
        assert found.precision == precision


@pytest.mark.parametrize(
    "name",
    [
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<float, 2>(char *)",
        "void at::native::<unnamed>::CatArrayBatchedCopy_vectorized<float, (int)2>(char *)",
        "void unnamed>::CatArrayBatchedCopy_vectorized<unnamed>::Opaque<2>, 3>(char *)",
        "CatArrayBatchedCopy_vectorized",
        "_ZN2at6native40_GLOBAL__N__0f1a8107_8_Shape_cu_49f7391c30CatArrayBatchedCopy_vectorizedIfE",
        "void at::native::(anonymous namespace)::CatArrayBatchedCopy_vectorized<float, unsigned in",
    ],
    ids=["demangled", "nsys", "damaged by ncu", "short", "mangled", "cut"],
)
def test_each_form_of_a_name_is_read_alike(name):
    assert classify(name).subclass == "cat"


@pytest.mark.parametrize(
    ("functor", "op_class"),
    [
        ("at::native::CUDAFunctor_add<float>", "elementwise"),
        ("at::native::direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}", "copy"),
        ("at::native::FillFunctor<float>", "memset"),
        ("at::native::bernoulli_scalar_kernel<at::CUDAGeneratorImpl*>", "random"),
        ("at::native::index_put_kernel_impl<at::native::OpaqueType<4>>", "embedding"),
    ],
)
def test_the_functor_decides_what_a_wrapper_does(functor, op_class):
    name = (
        f"void at::native::elementwise_kernel<128, 2, at::native::gpu_kernel_impl<{functor}>>(T1)"
    )
    assert classify(name).op_class == op_class


def test_a_mangled_name_gives_precision_and_functor():
    # a::scale_kernel<a::Op<double, 4>>(double*)
    found = classify("_ZN1a12scale_kernelINS_2OpIdLi4EEEEEvPd")
    assert found == KernelClass(op_class="elementwise", precision="fp64", tensor_core=False)


def test_a_return_type_is_not_the_function():
    name = (
        "std::enable_if<!T7, void>::type internal::gemvx::kernel<int, int, __half, __half, "
        "__half, float, (bool)0, cublasGemvParamsEx<int>>(T13)"
    )
    assert classify(name) == KernelClass(
        op_class="gemm", subclass="gemv", library="cublas", precision="fp16", tensor_core=False
    )


@pytest.mark.parametrize(
    "name", ["", " ", "void", "my_model_step(int)", ")>](", "_ZN", "_Z9", "_Z1a\n1b"]
)
def test_what_the_name_does_not_tell_is_left_open(name):
    assert classify(name) == KernelClass(op_class="other")


def test_only_collectives_are_communication():
    communication = {name for name in op_classes() if KernelClass(op_class=name).is_communication}
    assert communication == {
        "comm_allreduce", "comm_allgather", "comm_reducescatter", "comm_alltoall",
        "comm_sendrecv", "comm_broadcast", "comm_reduce", "comm_other",
    }  # fmt: skip


@given(st.text(alphabet=st.sampled_from("aZ_:<>()[]{} ,*&0917NIESTLUvfd.-"), max_size=200))
@example("_ZN3fooILi3")
@example("void f<a > b>(int)")
@example("x\x00<\ud7ff(")
def test_any_text_has_a_class(name):
    assert classify(name).op_class in op_classes()


@pytest.mark.parametrize(
    "piece",
    ["a_", "<", "()", "1a", "S", "T1", "gemm_", "moe_", "Ab", "flash::x<", "exp_sum_mean_"],
)
@pytest.mark.parametrize("start", ["", "_ZN1aI", "void k<", "triton_red_fused_", "__myl_MaxSub"])
def test_time_is_bounded_on_the_longest_names(start, piece):
    name = start + piece * (LONGEST_KNOWN_CHARS // len(piece))
    begun = time.perf_counter()
    classify(name)
    # some 30 ms each; a pattern that backtracks would take minutes
    assert time.perf_counter() - begun < 5


def test_a_real_training_trace_leaves_nothing_open(real):
    path = real("nsys/h100x2_nccl_nvtx_2026.2_3.25.0.sqlite")
    query = """
        SELECT DISTINCT d.value, m.value FROM CUPTI_ACTIVITY_KIND_KERNEL AS k
        JOIN StringIds AS d ON d.id = k.demangledName
        JOIN StringIds AS m ON m.id = k.mangledName
    """
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as trace:
        names = trace.execute(query).fetchall()
    assert names
    for demangled, mangled in names:
        assert classify(demangled).op_class != "other", demangled
        assert classify(mangled) == classify(demangled)
