import time

import pytest

from nsys_walls.join.mangled import demangle

# Read by hand with the grammar of the Itanium C++ ABI, section 5.1.
READ = [
    ("_Z4fill", "fill"),
    ("_Z4copyPKfPfi", "copy(const float *, float *, int)"),
    ("_Z4tickv", "tick()"),
    ("_ZN4core5scaleIfLb1EEEvPKT_m", "core::scale<float, (bool)1>(const T1 *, unsigned long)"),
    ("_ZN4core5scaleIfiEEvPT0_", "core::scale<float, int>(T2 *)"),
    ("_ZN4core5mergeENS_5RangeERKS0_", "core::merge(core::Range, const core::Range &)"),
    # S_ is core, S0_ core::Pair, S1_ core::Pair<float>
    ("_ZN4core3sumENS_4PairIfEES1_", "core::sum(core::Pair<float>, core::Pair<float>)"),
    ("_Z3sumSt4pairIfiES_IiiE", "sum(std::pair<float, int>, std::pair<int, int>)"),
    ("_ZN4core3runIZ4initiEUliE0_EEvT_", "core::run<init(int)::{lambda(int)#2}>(T1)"),
    ("_Z3runIZ4initvEUlvE_EvT_", "run<init()::{lambda()#1}>(T1)"),
    ("_Z3runIZZN4core4initEvENKUlfE1_clEfEUlvE_EvT_",
     "run<core::init()::{lambda(float)#3}::operator()(float)::{lambda()#1}>(T1)"),
    # S_ is run itself, without its arguments
    ("_Z3runI4PairEvZS_IfEvvEUlvE_", "run<Pair>(run<float>()::{lambda()#1})"),
    ("_Z3runIZ4initvE1A_0EvT_", "run<init()::A>(T1)"),
    ("_Z3runIZ4initvEUt_EvT_", "run<init()::{unnamed type#1}>(T1)"),
    ("_Z3runIZN3BoxC1EiEUlvE_EvT_", "run<Box::Box(int)::{lambda()#1}>(T1)"),
    ("_ZN12_GLOBAL__N_15scaleEf", "(anonymous namespace)::scale(float)"),
    ("_ZN19_GLOBAL__N__7a_k_cu5scaleEf", "(anonymous namespace)::scale(float)"),
    ("_ZN4coreL4fillEPf", "core::fill(float *)"),
    ("_ZNK4core3Box4loadEv", "core::Box::load()"),
    ("_ZNSt4core4fillEv", "std::core::fill()"),
    ("_Z3fooSt5arrayIPcLm2EE", "foo(std::array<char *, (unsigned long)2>)"),
    ("_Z4packIJLin2ELj3EfEEvv", "pack<(int)-2, (unsigned int)3, float>()"),
    ("_Z4packIJifEEvDpT_", "pack<int, float>(T1)"),
    ("_Z4fillI4ModeLS0_1EEvv", "fill<Mode, (Mode)1>()"),
    ("_Z4fillILf3f800000EEvv", "fill<(float)[3f800000]>()"),
    ("_ZN2ms3actIXadL_ZNS_4siluEfEEEEvPf", "ms::act<&ms::silu>(float *)"),
    ("_ZN2ms3actIL_ZNS_4siluEPFviEEEEvPf", "ms::act<ms::silu>(float *)"),
    ("_ZN2ms3actIL_ZNS_4siluEfEEEvPf", "ms::act<ms::silu>(float *)"),
    ("_Z3fooI1AIXLi3EEEEvv", "foo<A<(int)3>>()"),
    ("_Z3fooILi3EEv1AIXT_EE", "foo<(int)3>(A<T1>)"),
    ("_Z4holdI4WrapEvT_IfE", "hold<Wrap>(T1<float>)"),
    ("_ZN4core4holdI4WrapEEvNT_4typeE", "core::hold<Wrap>(T1::type)"),
    ("_Z3fooPKPf", "foo(float * const *)"),
    ("_Z3fooPVf", "foo(float *)"),
    ("_Z3fooOKf", "foo(const float &&)"),
    ("_Z5applyPFvPfiE", "apply(void (*)(float *, int))"),
    ("_Z5applyPFYvvE", "apply(void (*)())"),
    ("_Z4fillRKSt8functionIFvfEE", "fill(const std::function<void (float)> &)"),
    ("_Z3sumRA4_Kf", "sum(const float (&)[4])"),
    ("_Z3fooSsSaIfE", "foo(std::string, std::allocator<float>)"),
    ("_Z3fooDF16bDhDn", "foo(std::bfloat16_t, half, std::nullptr_t)"),
    ("_Z3foou6__bf16", "foo(__bf16)"),
    ("_Z3runIZN4core4initB3tagEvEUlvE_EvT_", "run<core::init()::{lambda()#1}>(T1)"),
    ("_Z4fillPf.kd", "fill(float *)"),
]  # fmt: skip

# What lies behind the path is an expression, or missing.
CUT = [
    ("_ZN4core5scaleIXsrT_EEEvi", "core::scale"),
    ("_Z5scaleIXsrT_EEvi", "scale"),
    ("_Z5scaleIN4core4PairI", "scale"),
    ("_ZN4core5scaleIfEEvDTcl", "core::scale<float>"),
    ("_ZN4core5scaleIfEEvPFvf", "core::scale<float>"),
    ("_Z4fillPfQ", "fill"),
    ("_Z3runIZ4initvEUlfEvT_", "run"),
    ("_Z3runIZ4initvEUlf", "run"),
    ("_Z3runIZ4initvEs_EvT_", "run"),
    ("_Z3runIXadL_Z4initvQ", "run"),
    ("_Z3runIXadL_Z4init.", "run"),
    ("_Z3runIXLi3EQEEvv", "run"),
    ("_Z3runIZS_vEUlvE_EvT_", "run"),
    ("_Z3fooS5_", "foo"),
    ("_Z9foo", ""),
    ("_Z0foo", ""),
    ("_ZNE", ""),
    ("_Z", ""),
]


@pytest.mark.parametrize(("mangled", "expected"), READ)
def test_reads(mangled, expected):
    assert demangle(mangled) == (expected, True)


@pytest.mark.parametrize(("mangled", "path"), CUT)
def test_keeps_the_path_of_what_it_can_not_read(mangled, path):
    assert demangle(mangled) == (path, False)


def test_deep_nesting_is_not_read():
    assert demangle("_Z3foo" + "P" * 100_000 + "f") == ("foo", False)


def test_substitutions_that_double_a_name_end_early():
    # every pair<S, S> is twice as long as the one before: the last would have 2^60 letters
    numbers = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    codes = ["S_", *(f"S{digit}_" for digit in numbers), *(f"S1{digit}_" for digit in numbers)]
    doubling = "".join(f"S_I{code}{code}E" for code in codes[1:61])
    begin = time.perf_counter()
    assert demangle("_Z3foo4pairIiiE" + doubling) == ("foo", False)
    assert time.perf_counter() - begin < 2
