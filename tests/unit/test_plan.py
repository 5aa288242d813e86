"""Names, groups and words of the planned commands, without any run."""

import re
import shlex
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nsys_walls.counters.table import recommended_metrics
from nsys_walls.plan.groups import share_commands
from nsys_walls.plan.names import name_pattern, name_patterns, why_no_pattern
from nsys_walls.plan.ncu import estimate_passes, ncu_words, nvtx_filter, shell_line

SMALL, LARGE, TALL = (((n, 1, 1), (256, 1, 1)) for n in (1, 640, 4096))
NASTY = [
    "void at::native::<unnamed>::softmax<(int)4, c10::Half>(T1 *, const T2 *)",
    "scale(float *)::[lambda(int) (instance 1)]::operator ()(int) const",
    'it\'s `quoted` "twice" $HOME $(id) \\ back|pipe; rm -rf * {a,b} !x #y ~z',
    "café<δ>(int)",
    "two\nlines\tand\x1b[31m red",
    "^caret$ [set] {1,2} a? b+ c. d|e",
]


# Names ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NASTY)
def test_a_pattern_matches_its_name_and_is_plain_text(name):
    pattern = name_pattern(name, NASTY)
    assert re.fullmatch(pattern, name)
    assert [other for other in NASTY if re.fullmatch(pattern, other)] == [name]
    assert re.fullmatch(r"[ -~]+", pattern)
    assert "," not in pattern


@given(st.text(min_size=1, max_size=400))
def test_any_name_is_matched(name):
    pattern = name_pattern(name, {name})
    assert re.fullmatch(pattern, name)
    assert pattern.isascii()


@given(st.lists(st.text(alphabet="ab<(.*", min_size=150, max_size=400), min_size=2, unique=True))
def test_no_pattern_matches_another_name(names):
    for name in names:
        pattern = re.compile(name_pattern(name, names))
        assert [other for other in names if pattern.fullmatch(other)] == [name]


def test_a_long_name_is_cut_to_what_tells_it_apart():
    start = "void cutlass::device_kernel<" + "cutlass::gemm::collective::" * 40
    first, second = (f"{start}Tile<{m}>, {'x' * 2000}>(Params)" for m in (64, 128))
    assert len(name_pattern(first, [first])) < 200
    # they differ behind the 1,100th character, so the head has to reach that far
    pattern = name_pattern(first, [first, second])
    assert re.fullmatch(pattern, first)
    assert not re.fullmatch(pattern, second)
    assert len(pattern) < len(first)


def test_names_that_differ_in_the_middle_only_are_written_there():
    names = [f"{'a' * 250}{middle}{'b' * 60}" for middle in ("x", "y", "xx")]
    for name in names:
        pattern = name_pattern(name, names)
        assert [other for other in names if re.fullmatch(pattern, other)] == [name]
    # head, 20 signs on both sides of the difference, tail
    assert name_pattern(names[0], names[:2]) == f"{'a' * 120}.*{'a' * 20}x{'b' * 19}.*{'b' * 30}"


def test_very_long_names_that_differ_in_the_middle_have_short_expressions():
    numbers = [f"(int){n}" for n in range(9000)]
    first = f"M<{','.join(numbers)}>(int)"
    second = first.replace("(int)4500", "(int)7")
    assert len(first) > 80_000
    for name in (first, second):
        pattern = name_pattern(name, [first, second])
        assert len(pattern) < 300
        assert [other for other in (first, second) if re.fullmatch(pattern, other)] == [name]


def test_a_name_that_is_told_apart_only_in_many_places_is_written_whole():
    name = "a" * 2500
    # one more than pieces are looked for
    others = [f"{name[:at]}b{name[at + 1 :]}" for at in range(250, 2500, 250)]
    assert name_pattern(name, others) == name


def test_a_name_without_a_piece_of_a_long_one_is_another_name():
    first, second, short = (f"{'a' * 120}{middle}{'b' * 60}" for middle in ("x" * 90, "y" * 90, ""))
    pattern = name_pattern(first, [second, short])
    assert [name for name in (first, second, short) if re.fullmatch(pattern, name)] == [first]


def test_letters_outside_ascii_stand_for_no_others():
    names = ["ядро", "norm", "~tilde", "add(int)"]
    pattern = name_pattern("ядро", names)
    assert [name for name in names if re.fullmatch(pattern, name)] == ["ядро"]


def test_names_that_differ_where_nothing_is_written_have_no_expression():
    assert name_pattern("ядро", ["ядро", "ядра"]) is None
    assert "can't be told from another one" in why_no_pattern("ядро")
    # a name with a line break is written whole: "." would not match the break
    long = "(" * 60_000 + "\n"
    assert name_pattern(long, [long]) is None
    assert "its name of 60,001 characters" in why_no_pattern(long)


def test_a_comma_is_written_by_its_code_where_any_sign_would_match_another_name():
    names = ["f<1, 2>(int)", "f<1; 2>(int)"]
    pattern = name_pattern(names[0], names)
    assert pattern == r"f<1\x2c 2>\(int\)"
    assert [name for name in names if re.fullmatch(pattern, name)] == names[:1]


@given(st.lists(st.text(alphabet="ab,;я\n(", min_size=1, max_size=300), min_size=2, unique=True))
def test_what_is_found_for_all_names_matches_each_alone(names):
    for name, pattern in name_patterns(names, names).items():
        if pattern is not None:
            assert [other for other in names if re.fullmatch(pattern, other)] == [name]
        else:
            assert not name.isascii() or "\n" in name


# Groups ---------------------------------------------------------------------------------


def grouped(shapes, **patterns):
    frozen = {name: None if own is None else frozenset(own) for name, own in shapes.items()}
    return share_commands(frozen, {name: patterns.get(name, name) for name in shapes})


def test_names_without_a_common_shape_share_a_command():
    assert grouped({"a": [SMALL, LARGE], "b": [TALL]}) == [["a", "b"]]


def test_names_of_one_shape_need_a_command_each_even_if_only_one_shape_is_common():
    assert grouped({"a": [SMALL, LARGE], "b": [TALL], "c": [SMALL]}) == [["a", "b"], ["c"]]


def test_names_without_shapes_stand_alone():
    assert grouped({"a": None, "b": [SMALL], "c": [LARGE]}) == [["b", "c"], ["a"]]


def test_the_order_that_needs_fewer_commands_is_taken():
    # a and b clash, b and c, c and d. Heaviest first, a and d would share a command, and
    # neither b nor c could join them; with the hardest first, two commands are enough.
    shapes = {"a": [SMALL], "d": [TALL], "b": [SMALL, LARGE], "c": [LARGE, TALL]}
    assert sorted(grouped(shapes)) == [["a", "c"], ["d", "b"]]


def test_an_expression_that_the_system_would_refuse_is_divided():
    assert grouped({"a": [SMALL], "b": [LARGE]}, a="x" * 60_000, b="y" * 60_000) == [["a"], ["b"]]


# Words ----------------------------------------------------------------------------------


def words(**changed):
    given_words = {
        "patterns": ["a"],
        "metrics": ["dram__bytes.sum", "lts__t_bytes.sum"],
        "name_base": "demangled",
        "log_file": "run.counters-1.csv",
    }
    return ncu_words(**(given_words | changed))


def test_the_words_of_a_command():
    assert shell_line(words()) == (
        "ncu --csv --page raw --print-units base --clock-control none --rename-kernels off "
        "--kernel-name-base demangled --kernel-name 'regex:^a$' --filter-mode per-launch-config "
        "--launch-count 1 --metrics dram__bytes.sum,lts__t_bytes.sum "
        "--log-file run.counters-1.csv PROGRAM ARGS..."
    )


def test_several_names_are_alternatives_between_the_anchors():
    assert "regex:^(a|b)$" in words(patterns=["a", "b"])


def test_devices_and_ranges():
    text = shell_line(words(devices=[0, 2], nvtx=["step", "layer 0/mlp, it's"]))
    assert "--devices 0,2 " in text
    parts = shlex.split(text)
    assert parts.count("--nvtx") == 1
    included = [parts[i + 1] for i, part in enumerate(parts) if part == "--nvtx-include"]
    assert included == ["step/", r"layer 0\/mlp\, it's/"]


def test_names_as_ncu_shortens_them_are_looked_for_as_it_does():
    assert "--rename-kernels" not in words(full_names=False)


@pytest.mark.parametrize(
    ("pattern", "filtered"),
    [
        ("a@b,c/d+\\", r"a\@b\,c\/d\+\\/"),
        ("layer*", "regex:layer.*/"),
        ("l?yer[12].w/x*", r"regex:l.yer.\.w\/x.*/"),
    ],
)
def test_range_patterns_become_filters(pattern, filtered):
    assert nvtx_filter(pattern) == filtered


def test_a_shell_hands_over_the_words_unchanged():
    wanted = words(patterns=[name_pattern(name, NASTY) for name in NASTY], nvtx=NASTY)
    line = shell_line(wanted).replace("ncu ", "printf '%s\\0' ncu ", 1)
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == [*wanted, "PROGRAM", "ARGS..."]


# Cost -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metrics", "passes"),
    [
        ([], 0),
        (["dram__bytes.sum"], 1),
        (["launch__shared_mem_per_block_dynamic"], 0),
        ([f"counter{n}.sum" for n in range(9)], 3),
        # 31 counters: 8 for Speed of Light, 29 others, four a pass
        (recommended_metrics("8.0"), 8 + 8),
    ],
)
def test_passes(metrics, passes):
    assert estimate_passes(metrics) == passes
