"""Keep names of folders out of the store: they tell user, employer and project.

Frameworks write the place in the source into range names, such as
``{'traceMarker': ['/home/someone/project/train.py:34']}``. The file and line stay.
"""

import pyarrow as pa
import pyarrow.compute as pc

_PART = r"[^\s'\"\\/]+"
_SLASH = r"[\\/]"
_SOURCE_FILE = rf"{_PART}\.(?:py|c|cc|cpp|cu|cuh|h|hpp|jl|rs|ipynb)\b"
_DRIVE = r"(?:[A-Za-z]:)?"
_PATTERNS = (
    # everything under a home folder
    (rf"{_DRIVE}{_SLASH}(?:home|Users){_SLASH}{_PART}(?:{_SLASH}(?:{_PART}{_SLASH})*)?", "…/"),
    # the folders of a source file; other names with slashes are layers of models, and stay
    (rf"(^|[\s'\"(=\[,:]){_DRIVE}{_SLASH}(?:{_PART}{_SLASH})+({_SOURCE_FILE})", r"\1…/\2"),
)


def without_folders(names: pa.Array) -> pa.Array:
    """Replace the folders in paths of source files, and all that lies in home folders, by ``…``."""
    for pattern, replacement in _PATTERNS:
        names = pc.replace_substring_regex(names, pattern, replacement)
    return names
