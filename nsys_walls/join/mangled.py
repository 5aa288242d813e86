"""Read mangled C++ names (Itanium C++ ABI, section 5.1), as far as kernel names need it.

Written out because a kernel's name must be read the same on every machine, with or without
a demangler. What is rare in kernel names (expressions, decltype, member pointers) is not
read: then only the path of the function is known.
"""

import re

_DIGITS = re.compile(r"\d+")
_SEQUENCE = re.compile(r"([0-9A-Z]*)_")
_PARAMETER = re.compile(r"T(\d*)_")
_NUMBER = re.compile(r"(n?)(\d+)E")
_DISCRIMINATOR = re.compile(r"__\d+_|_\d")
_COUNTED = re.compile(r"(\d*)_")
_FLOAT = re.compile(r"([0-9a-f]+)E")
_ANONYMOUS = "(anonymous namespace)"
# substitutions can double a name with every letter; no kernel has a longer one
_LONGEST = 1 << 16
# stands where a pointer or reference to a function or an array has to be written
_INSIDE = "\1"

_BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char",
    "h": "unsigned char", "s": "short", "t": "unsigned short", "i": "int", "j": "unsigned int",
    "l": "long", "m": "unsigned long", "x": "long long", "y": "unsigned long long",
    "n": "__int128", "o": "unsigned __int128", "f": "float", "d": "double", "e": "long double",
    "g": "__float128", "z": "...", "Dn": "std::nullptr_t", "Dh": "half", "DF16_": "_Float16",
    "DF16b": "std::bfloat16_t", "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t",
    "Da": "auto",
}  # fmt: skip
_STANDARD = {
    "a": "std::allocator", "b": "std::basic_string", "s": "std::string", "i": "std::istream",
    "o": "std::ostream", "d": "std::iostream",
}  # fmt: skip
_OPERATOR = {"cl": "operator()", "ix": "operator[]", "eq": "operator==", "ad": "operator&"}
_POINTER = {"P": "*", "R": "&", "O": "&&"}


class _UnreadableError(ValueError):
    """The name uses grammar that is not read here, or is cut off."""


class _Reader:
    """A position in a mangled name, and the parts that later parts may refer to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.parts: list[str] = []
        self.path = ""

    def peek(self, token: str) -> bool:
        return self.text.startswith(token, self.position)

    def take(self, token: str) -> bool:
        found = self.peek(token)
        self.position += len(token) * found
        return found

    def match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self.text, self.position)
        if found is None:
            raise _UnreadableError
        self.position = found.end()
        return found

    def add(self, part: str) -> str:
        if len(part) > _LONGEST:
            raise _UnreadableError
        self.parts.append(part)
        return part

    def encoding(self, *, is_outermost: bool = False) -> str:
        """Read a function: its name and its parameters.

        The path of the outermost is noted as far as it is known, should the rest be
        unreadable.
        """
        name = self.name(is_outermost=is_outermost)
        if is_outermost:
            self.path = name
        return name if self.at_end() else f"{name}({self.parameters(name)})"

    def parameters(self, name: str) -> str:
        if name.endswith(">"):
            self.type()  # templates carry their return type
        return self.types()

    def at_end(self) -> bool:
        return self.position >= len(self.text) or self.text[self.position] in "E."

    def types(self) -> str:
        """Read types up to an E or the end; a lone void means none."""
        found = []
        while not self.at_end():
            found.append(self.type().replace(_INSIDE, ""))
        return "" if found == ["void"] else ", ".join(found)

    def name(self, *, is_outermost: bool = False) -> str:
        """Read a name with its scope and its template arguments."""
        if self.take("N"):
            return self.nested(is_outermost=is_outermost)
        if self.take("Z"):
            return self.local()
        if self.peek("S") and not self.peek("St"):
            return self.substitution() + self.arguments()
        found = "std::" if self.take("St") else ""
        found += self.unqualified()
        if is_outermost:
            self.path = found
        if self.peek("I"):
            self.add(found)
            found += self.arguments()
        return found

    def nested(self, *, is_outermost: bool) -> str:
        while self.text[self.position : self.position + 1] in tuple("rVKRO"):
            self.position += 1
        found = last = ""
        while not self.take("E"):
            if self.peek("I"):
                found = self.add(found + self.arguments())
            elif self.take("St"):
                found = "std"
            elif self.peek("S"):
                found = self.substitution()
            elif self.peek("T"):
                found = self.add(self.template_parameter())
            else:
                last = self.unqualified(last)
                found = self.add(f"{found}::{last}" if found else last)
            if is_outermost:
                self.path = found
        # the whole is no part of itself; where it is a type, its reader adds it
        self.parts.pop()
        return found

    def local(self) -> str:
        function = self.encoding()
        if not self.take("E") or self.take("s"):
            raise _UnreadableError  # cut off, or a string literal
        name = self.name()
        found = _DISCRIMINATOR.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
        return f"{function}::{name}"

    def unqualified(self, class_name: str = "") -> str:
        self.take("L")  # internal linkage
        if self.take("Ul"):
            types = self.types()
            if not self.take("E"):
                raise _UnreadableError
            return f"{{lambda({types})#{self.counted()}}}"
        if self.take("Ut"):
            return f"{{unnamed type#{self.counted()}}}"
        code = self.text[self.position : self.position + 2]
        if code in _OPERATOR:
            self.position += 2
            return _OPERATOR[code]
        if re.fullmatch(r"[CD]\d", code):
            self.position += 2
            return class_name  # a constructor or destructor
        name = self.source_name()
        while self.take("B"):
            self.source_name()  # an ABI tag
        return _ANONYMOUS if name.startswith("_GLOBAL__N") else name

    def counted(self) -> int:
        """Read a number among equals: "_" is the first, "0_" the second."""
        digits = self.match(_COUNTED)[1]
        return int(digits) + 2 if digits else 1

    def source_name(self) -> str:
        length = int(self.match(_DIGITS)[0])
        end = self.position + length
        if end > len(self.text) or not length:
            raise _UnreadableError
        found = self.text[self.position : end]
        self.position = end
        return found

    def substitution(self) -> str:
        self.position += 1
        code = self.text[self.position : self.position + 1]
        if code in _STANDARD:
            self.position += 1
            return _STANDARD[code]
        digits = self.match(_SEQUENCE)[1]
        index = int(digits, 36) + 1 if digits else 0
        if index >= len(self.parts):
            raise _UnreadableError
        return self.parts[index]

    def template_parameter(self) -> str:
        digits = self.match(_PARAMETER)[1]
        return f"T{int(digits) + 2 if digits else 1}"

    def arguments(self) -> str:
        if not self.take("I"):
            raise _UnreadableError
        return f"<{', '.join(self.argument_list())}>"

    def argument_list(self) -> list[str]:
        found: list[str] = []
        while not self.take("E"):
            if self.take("J"):
                found += self.argument_list()
            elif self.take("L"):
                found.append(self.literal())
            elif self.take("X"):
                found.append(self.expression())
            else:
                found.append(self.type().replace(_INSIDE, ""))
        return found

    def expression(self) -> str:
        """Read the two expressions that kernels do have: a parameter, and a function."""
        if self.peek("T"):
            found = self.template_parameter()
        elif self.take("adL_Z"):
            found = "&" + self.function_name()
        elif self.take("L"):
            found = self.literal()
        else:
            raise _UnreadableError
        if not self.take("E"):
            raise _UnreadableError
        return found

    def function_name(self) -> str:
        """Read a function that is an argument; its parameters say nothing more."""
        name = self.name()
        if not self.at_end():
            self.parameters(name)
        if not self.take("E"):
            raise _UnreadableError
        return name

    def literal(self) -> str:
        if self.take("_Z"):
            return self.function_name()
        kind = self.type()
        if kind in {"float", "double"}:
            return f"({kind})[{self.match(_FLOAT)[1]}]"
        sign, digits = self.match(_NUMBER).groups()
        return f"({kind}){'-' if sign else ''}{digits}"

    def type(self) -> str:
        """Read a type; all but builtin ones may be referred to later."""
        code = next((code for code in _BUILTIN if self.take(code)), None)
        if code is not None:
            return _BUILTIN[code]
        if self.take("Dp"):
            return self.type()
        compound = {
            "P": self.pointer, "R": self.pointer, "O": self.pointer, "F": self.function_type,
            "r": self.qualified, "V": self.qualified, "K": self.qualified, "A": self.array,
        }  # fmt: skip
        return compound.get(self.text[self.position : self.position + 1], self.named_type)()

    def pointer(self) -> str:
        mark = _POINTER[self.text[self.position]]
        self.position += 1
        target = self.type()
        if _INSIDE in target:
            return self.add(target.replace(_INSIDE, f"({mark}{_INSIDE})"))
        return self.add(f"{target} {mark}")

    def qualified(self) -> str:
        const = False
        while self.text[self.position] in "rVK":
            const |= self.text[self.position] == "K"
            self.position += 1
        target = self.type()
        if not const:
            return self.add(target)
        return self.add(f"{target} const" if target[-1] in "*&" else f"const {target}")

    def function_type(self) -> str:
        self.position += 1
        self.take("Y")  # extern "C"
        result = self.type()
        types = self.types()
        if not self.take("E"):
            raise _UnreadableError
        return self.add(f"{result} {_INSIDE}({types})")

    def array(self) -> str:
        self.position += 1
        length = self.match(_COUNTED)[1]
        return self.add(f"{self.type()} {_INSIDE}[{length}]")

    def named_type(self) -> str:
        if self.peek("T"):
            found = self.add(self.template_parameter())
        elif self.peek("S") and not self.peek("St"):
            found = self.substitution()
        elif self.take("u"):
            found = self.add(self.source_name())
        else:
            return self.add(self.name())
        return self.add(found + self.arguments()) if self.peek("I") else found


def demangle(mangled: str) -> tuple[str, bool]:
    """Read a mangled name.

    Args:
        mangled: A name that begins with ``_Z``.

    Returns:
        The name with its template arguments and its parameters, without return type; and
        whether it could be read to its end. Where its parameters can't be read they are
        left out; where its arguments can't be read, only its path is there, or nothing.

    >>> demangle("_ZN4core5scaleILi4EEEvPKT_m")
    ('core::scale<(int)4>(const T1 *, unsigned long)', True)
    >>> demangle("_ZN4core5scaleIXsrT_EEEvi")
    ('core::scale', False)
    """
    reader = _Reader(mangled.removeprefix("_Z"))
    try:
        found = reader.encoding(is_outermost=True)
    except (ValueError, IndexError, RecursionError):
        found = ""
    is_read = bool(found) and reader.text[reader.position :][:1] in {"", "."}
    return (found if is_read else reader.path).replace(_INSIDE, ""), is_read
