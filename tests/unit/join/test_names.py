import itertools
import re
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.join.names import closeness, forms_of

# One kernel a block: printed by nsys, by ncu (names simplified), by GNU's demangler, by
# clang's where lambdas differ, and mangled.
PRINTINGS = {
    "casts and an anonymous namespace": (
        "void core::ops::<unnamed>::pack<(int)4, (bool)1, (unsigned long)8>(T1 *, int)",
        "void unnamed>::pack<4, 1, 8>(T1 *, int)",
        "void core::ops::(anonymous namespace)::pack<4, true, 8ul>(float*, int)",
        "_ZN4core3ops12_GLOBAL__N_14packILi4ELb1ELm8EEEvPT_i",
    ),
    "anonymous namespace inside the arguments": (
        (
            "void core::<unnamed>::cat<core::<unnamed>::Opaque<(unsigned int)2>, (int)3>"
            "(char *, core::<unnamed>::Meta<T1, T2>)"
        ),
        "void unnamed>::cat<unnamed>::Opaque<2>, 3>(char *, unnamed>::Meta<T1, T2>)",
        (
            "void core::(anonymous namespace)::cat<core::(anonymous namespace)::Opaque<2u>, 3>"
            "(char*, core::(anonymous namespace)::Meta<core::(anonymous namespace)::Opaque<2u>, 3>)"
        ),
        "_ZN4core12_GLOBAL__N_13catINS0_6OpaqueILj2EEELi3EEEvPcNS0_4MetaIT_XT0_EEE",
    ),
    "lambdas": (
        (
            "void core::each<(int)2, core::copy_impl(core::Iter &)::[lambda() (instance 3)]::"
            "operator ()() const::[lambda() (instance 7)]::operator ()() const::"
            "[lambda(float) (instance 1)], std::array<char *, (unsigned long)2>>(int, T2, T3)"
        ),
        (
            "void each<2, copy_impl(Iter &)::[lambda() (instance 3)]::operator ()() lambda() "
            "(instance 7)]::operator ()() lambda(float) (instance 1)], array<char *, 2>>"
            "(int, T2, T3)"
        ),
        (
            "void core::each<2, core::copy_impl(core::Iter&)::{lambda()#3}::operator()() const::"
            "{lambda()#7}::operator()() const::{lambda(float)#1}, std::array<char*, 2ul> >"
            "(int, core::copy_impl(core::Iter&)::{lambda()#3}::operator()() const::{lambda()#7}::"
            "operator()() const::{lambda(float)#1}, std::array<char*, 2ul>)"
        ),
        (
            "void core::each<2, core::copy_impl(core::Iter&)::'lambda1'()::operator()() const::"
            "'lambda5'()::operator()() const::'lambda'(float), std::array<char*, 2ul>>(int, "
            "core::copy_impl(core::Iter&)::'lambda1'()::operator()() const::'lambda5'()::"
            "operator()() const::'lambda'(float), std::array<char*, 2ul>)"
        ),
        (
            "_ZN4core4eachILi2EZZZNS_9copy_implERNS_4IterEENKUlvE1_clEvENKUlvE5_clEvEUlfE_"
            "St5arrayIPcLm2EEEEviT0_T1_"
        ),
    ),
    "the function around a lambda is a template": (
        (
            "void core::each<void core::wrap<core::Add<float>>(core::Iter &, const T1 &)::"
            "[lambda(int) (instance 1)]>(int, T1)"
        ),
        "void each<void wrap<Add<float>>(Iter &, const T1 &)::[lambda(int) (instance 1)]>(int, T1)",
        (
            "void core::each<void core::wrap<core::Add<float> >(core::Iter&, "
            "core::Add<float> const&)::{lambda(int)#1}>(int, void core::wrap<core::Add<float> >"
            "(core::Iter&, core::Add<float> const&)::{lambda(int)#1})"
        ),
        "_ZN4core4eachIZNS_4wrapINS_3AddIfEEEEvRNS_4IterERKT_EUliE_EEviS6_",
    ),
    "a return type that is computed": (
        (
            "std::enable_if<!T2, void>::type inner::gemv::kernel<int, (bool)0, "
            "Batch<const __nv_bfloat16>>(T3)"
        ),
        "enable_if<!T2, void>::type kernel<int, 0, Batch<const __nv_bfloat16>>(T3)",
        (
            "std::enable_if<!(false), void>::type inner::gemv::kernel<int, false, "
            "Batch<__nv_bfloat16 const> >(Batch<__nv_bfloat16 const>)"
        ),
    ),
    "no template": (
        "core::fill(const float *, core::Range, unsigned long, long long)",
        "fill(const float *, Range, unsigned long, long long)",
        "core::fill(float const*, core::Range, size_t, long long int)",
        "_ZN4core4fillEPKfNS_5RangeEmx",
    ),
    "a member type of a parameter": (
        "void cutlass::Kernel2<tile_128x64_tn>(T1::Params)",
        "void Kernel2<tile_128x64_tn>(Params)",
        "void cutlass::Kernel2<tile_128x64_tn>(tile_128x64_tn::Params)",
        "_ZN7cutlass7Kernel2I14tile_128x64_tnEEvNT_6ParamsE",
    ),
    "an enumeration": (
        "void turn<float, (layout_t)1, (short)-3>(T1 *)",
        "void turn<float, 1, -3>(T1 *)",
        "void turn<float, (layout_t)1, (short)-3>(float*)",
        "_Z4turnIfL8layout_t1ELsn3EEvPT_",
    ),
    "a bare name": ("sgemm_128x64_nn", "  sgemm_128x64_nn "),
}
ALL = [printing for printings in PRINTINGS.values() for printing in printings]


@pytest.mark.parametrize("printings", PRINTINGS.values(), ids=PRINTINGS)
def test_printings_of_one_kernel_fit(printings):
    for one, other in itertools.combinations(printings, 2):
        assert closeness(forms_of(one), forms_of(other)) is not None, (one, other)


@pytest.mark.parametrize("what", PRINTINGS)
def test_printings_of_different_kernels_do_not_fit(what):
    others = [text for name, printings in PRINTINGS.items() if name != what for text in printings]
    for one, other in itertools.product(PRINTINGS[what], others):
        assert closeness(forms_of(one), forms_of(other)) is None, (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("void k<(int)1>(T1 *)", "void k<(bool)1>(T1 *)"),
        ("void k<1>()", "void k<2>()"),
        ("void k<-1>()", "void k<1>()"),
        ("void k<4ul>()", "void k<4u>()"),
        ("void k<true>()", "void k<false>()"),
        ("void k<float>(T1 *)", "void k<__half>(T1 *)"),
        ("void k<const float>(T1 *)", "void k<float>(T1 *)"),
        ("void a::k<float>(T1 *)", "void b::k<float>(T1 *)"),
        ("void k<a::Half>(T1 *)", "void k<b::Half>(T1 *)"),
        ("void k<float>(T1 *)", "void k<float>(T1 *, int)"),
        ("k(float *)", "k(double *)"),
        ("k(a::Half *)", "k(b::Half *)"),
        ("k(Tile<(int)1>)", "k(Tile<(bool)1>)"),
        ("a::k", "b::k<float>(int)"),
        ("k", "kk"),
        ("void k<f()::[lambda() (instance 1)]>(T1)", "void k<f()::[lambda() (instance 2)]>(T1)"),
        ("void k<f(int)::[lambda() (instance 1)]>(T1)", "void k<f(a)::{lambda()#1}>(T1)"),
        # one name ends inside its arguments, so only equal text is proof
        ("_Z1kIXsrT_EEvi", "_Z1kIXsrT0_EEvi"),
        ("k<(", "k<"),
    ],
)  # fmt: skip
def test_contradictions_are_two_kernels(one, other):
    assert closeness(forms_of(one), forms_of(other)) is None
    assert closeness(forms_of(other), forms_of(one)) is None


def test_the_closest_printing_lacks_least():
    traced = "void core::pack<(int)4, (bool)1>(T1 *)"
    printed = [
        traced,
        "void core::pack< (int)4,(bool)1 >(T1*)",
        "void core::pack<4, 1>(T1 *)",
        "void core::pack<4, true>(float*)",
        "void core::pack<4, 1>(float*)",
        "void pack<(int)4, (bool)1>(T1 *)",
        "void pack<4, 1>(T1 *)",
        "void pack<4, 1>",
        "core::pack",
        "pack",
    ]
    distances = [closeness(forms_of(traced), forms_of(name)) for name in printed]
    assert None not in distances
    assert distances == sorted(distances)
    assert len(set(distances)) == len(distances)


def test_a_printing_that_writes_types_leaves_out_only_int():
    # "true" shows that types are written, so the bare 1 is an int
    printed = forms_of("void k<1, true>()")
    assert closeness(printed, forms_of("void k<(int)1, (bool)1>()")) == 1
    assert closeness(printed, forms_of("void k<(bool)1, (bool)1>()")) is None


def test_a_function_of_a_class_template():
    forms = forms_of("void core::Box<int>::load<float>(T1 *)")
    assert forms.function == "load"
    assert closeness(forms, forms_of("core::Box<int>::load")) is not None
    assert closeness(forms, forms_of("core::Box<float>::load")) is None


def test_an_anonymous_namespace_may_get_lost():
    full = forms_of("void core::<unnamed>::k<float>(T1 *)")
    for name in ("void core::k<float>(T1 *)", "void unnamed>::k<float>(T1 *)"):
        assert closeness(full, forms_of(name)) is not None


def test_parts_of_a_name():
    forms = forms_of("void core::<unnamed>::pack<(int)4, core::Pair<long>>(T1 *)")
    assert forms.function == "pack"
    assert forms.path == ("core::@",)
    assert forms.instance == "pack<4,Pair<long>>"
    assert forms.casts == ("int",)
    assert not forms.is_bare
    assert forms_of("ns::pack").is_bare
    assert forms_of("_Z4packIXsrT_EEvi").is_cut


def test_a_name_that_can_not_be_taken_apart_equals_itself():
    forms = forms_of("a)b")
    assert forms.function is None
    assert closeness(forms, forms_of("a)b")) == 0
    assert closeness(forms, forms_of("a) b")) == 1
    assert closeness(forms, forms_of("")) is None


@given(st.text("_ZNISTL0123ET()<>[]{}:,*& @#abckn'-", max_size=60))
def test_no_text_is_refused(text):
    forms = forms_of(text)
    assert closeness(forms, forms_of(text)) == 0
    assert closeness(forms, forms_of("k<(int)4>(float *)")) in {None, 1, 3, 5, 7, 17}


@given(st.sampled_from([name for name in ALL if not name.startswith("_Z")]), st.data())
def test_spaces_beside_punctuation_say_nothing(name, data):
    # a space in front of "<unnamed>" does say that the bracket is its own
    places = [found.start() for found in re.finditer(r"[,*&)(]|(?<=\d)>", name)]
    spaced = name
    for place in sorted(data.draw(st.sets(st.sampled_from(places or [0]))), reverse=True):
        spaced = spaced[:place] + " " + spaced[place:]
    assert closeness(forms_of(name), forms_of(spaced)) in {0, 1}


@pytest.mark.parametrize(
    "file",
    [
        "a100_nonlazy_2022.2_2.9.1",
        "a100x4_reversed_ids_2024.5_3.13.2",
        "h100x2_nccl_nvtx_2026.2_3.25.0",
        "h200_nvfuser_2024.6_3.16.1",
        "rtx3090x2_coop_2025.5_3.23.3",
        "t4_nvtx_textid_2025.3_3.20.2",
    ],
)
def test_mangled_and_demangled_names_of_real_traces_are_one(real, file):
    query = (
        "SELECT DISTINCT s.value, d.value, m.value FROM CUPTI_ACTIVITY_KIND_KERNEL k "
        "JOIN StringIds s ON s.id = k.shortName JOIN StringIds d ON d.id = k.demangledName "
        "JOIN StringIds m ON m.id = k.mangledName"
    )
    path = real(f"nsys/{file}.sqlite")
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    rows = connection.execute(query).fetchall()
    connection.close()
    assert rows
    for short, full, mangled in rows:
        assert forms_of(full).function == short
        forms = forms_of(mangled)
        assert [row[1] for row in rows if closeness(forms, forms_of(row[1])) is not None] == [full]
        assert closeness(forms, forms_of(full)) in {0, 1}
