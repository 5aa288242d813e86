"""What of a report is said in English where it should be said in another language."""

import re

#: Keys of a document whose strings are sentences or clauses.
PROSE = frozenset(
    {"message", "reason", "notes", "intensity_note", "title", "advice", "blockers", "documents",
     "wall_from"}
)  # fmt: skip
# Their titles stay as they were published.
_CITED = frozenset({"documents", "wall_from"})
# What others named, and codes of two words.
_FOREIGN = frozenset(
    {"name", "full_name", "file", "call", "calls", "range", "nvtx", "kernel", "product_version",
     "key"}
)  # fmt: skip
# Commands and options stay as they are typed, with their values.
_TYPED = re.compile(r"`[^`]*`|--[\w-]+(?:[ =](?:demangled|all|none|\d+))?|nvidia-smi [\w -]+")
_TOOLS = re.compile(
    r"CUDA graph|Nsight (?:Systems|Compute)|Speed of Light|KV cache|Tensor Core|PyTorch profiler"
)
# What opens a bracket behind it is code: the name of a template or a function.
_TWO_WORDS = re.compile(r"\b[A-Za-z']{2,} [A-Za-z']{2,}(?![\w<(:])")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


def has_english(said, names=()):
    """Say whether words of English follow each other, outside of names and of what is typed."""
    rest = _TYPED.sub("·", said)
    # a name of one word can't be mistaken for a sentence; taken out, "a" would leave no word whole
    for name in sorted({name for name in names if " " in name}, key=len, reverse=True):
        rest = rest.replace(name, "·")
    return _TWO_WORDS.search(_TOOLS.sub("·", rest)) is not None


def names_of(analysis):
    """List all names that a report of an analysis may quote, whole and as they are cut."""
    full = [
        *(kernel.key.full_name for kernel in analysis.kernels),
        *(kernel.name for kernel in analysis.kernels),
        *(profile.name for profile in analysis.unmatched),
        *(device.walls.facts.name or "" for device in analysis.devices),
        *(source.file for source in analysis.manifest.sources),
        *(node.name for node in analysis.ranges.tree),
    ]
    counted = (kernel.match.values or {} for kernel in analysis.kernels)
    cut = [name[:60] for name in full]
    return {*full, *cut, *(name for values in counted for name in values)}


def texts_in(value, key=""):
    """Walk over a document; yields each string with the key that it stands under."""
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, dict):
        for inner, one in value.items():
            yield from texts_in(one, key if key in PROSE else inner)
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one, key)


def untranslated(document, names):
    """List the strings of a Chinese document that are English, or hold English sentences."""
    return [
        (key, said)
        for key, said in texts_in(document)
        if key not in _FOREIGN | _CITED
        and (has_english(said, names) or (key in PROSE and not _CHINESE.search(said)))
    ]


def without_prose(value):
    """Leave out of a document what is said in a language."""
    if isinstance(value, dict):
        return {key: without_prose(one) for key, one in value.items() if key not in PROSE}
    if isinstance(value, list):
        return [without_prose(one) for one in value]
    return value


def check_languages(build):
    """Wrap `build_document`: each document is built in Chinese too, and that one is checked."""

    def built(analysis, findings, notices, language):
        notices = tuple(notices)
        chinese = build(analysis, findings, notices, "zh")
        document = build(analysis, findings, notices, language)
        left = untranslated(chinese, names_of(analysis))
        assert not left, left
        assert without_prose(chinese) == without_prose(document), "a language changes no number"
        return document

    return built
