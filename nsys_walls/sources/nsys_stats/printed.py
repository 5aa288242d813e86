"""Numbers of ``nsys stats``: whole ns and bytes from what is printed in larger units."""

from typing import Final

from nsys_walls.textfile import NumberStyle, read_number

#: A size that is rounded by more than this part of itself says too little to be kept.
_ROUNDED_RATIO: Final = 0.05


class Printed:
    """Reads the numbers of one file.

    Attributes:
        style: How numbers are printed in this file.
        rounded: How many sizes were left unknown because they are printed too coarsely.
    """

    def __init__(self) -> None:
        self.style = NumberStyle()
        self.rounded = 0

    def whole(self, text: str, factor: int, bits: int = 64) -> int | None:
        """Read a number as a whole multiple of the base unit; None where nothing is printed.

        Raises:
            ValueError: It is no number, or does not fit.
        """
        if factor == 1 and text.isdecimal():
            value = int(text)
        else:
            number = self.number(text, factor)
            if number is None:
                return None
            value = round(number)
        if abs(value) >> (bits - 1):
            msg = f"{text!r} is too large"
            raise ValueError(msg)
        return value

    def number(self, text: str, factor: int) -> float | None:
        """Read a number in the base unit; None where nothing is printed.

        Raises:
            ValueError: It is no number.
        """
        return read_number(text, self.style.mark) * factor if text.strip() else None

    def size(self, text: str, factor: int) -> int | None:
        """Read a size in bytes; None also where it is rounded too much, as ``0.000`` MB is.

        Raises:
            ValueError: It is no number.
        """
        value = self.whole(text, factor)
        point = max(text.rfind("."), text.rfind(","))
        decimals = len(text.strip()) - 1 - point if point >= 0 else 0
        error = 0.5 * factor / 10**decimals
        if value is None or error <= 1 or error <= _ROUNDED_RATIO * value:
            return value
        self.rounded += 1
        return None
