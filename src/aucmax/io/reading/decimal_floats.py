"""Decimal text to float64, correctly rounded, in code that Numba compiles.

A number is read as ``digits * 10**power`` with at most 19 digits. Both factors are sums of two floats, so
that their product is known to about 100 bits. If it rounds to the same float with its error added or
subtracted, that float is the nearest one; otherwise, which is rare, the text is left to Python's ``float``.
Python alone takes 40 times as long for numbers of 16 digits, as ``dump_svmlight_file`` writes them.
"""

import numpy as np
from numba.extending import register_jitable

from ...kernels.jit import INLINED, inlined

U = np.uint64
_TEN = U(10)
_SIGN = U(1 << 63)
_SPLITTER = 134217729.0  # 2**27 + 1 cuts a float into two halves of 26 bits
_ERROR_BOUND = 1e-30  # above the relative error of the product, 2**-103

MAX_POWER = 290  # with larger powers of ten, or below its inverse, the low part of a factor could underflow

# Without fused multiply-add, which other kernels allow: it would make the error of exact_product wrong.
strict = register_jitable(**INLINED | {"fastmath": False})


def _powers() -> np.ndarray:
    """The powers of ten as sums of two floats, from ``-MAX_POWER`` to ``MAX_POWER``."""
    table = np.empty((2 * MAX_POWER + 1, 2))
    for power in range(-MAX_POWER, MAX_POWER + 1):
        top, bottom = 10 ** max(power, 0), 10 ** max(-power, 0)
        above, below = (top / bottom).as_integer_ratio()
        table[power + MAX_POWER] = top / bottom, (top * below - above * bottom) / (bottom * below)
    return table


POWERS = _powers()


@strict
def exact_product(a, b):
    """The product of two floats as a float and its error (Dekker)."""
    product = a * b
    cut = _SPLITTER * a
    a_high = cut - (cut - a)
    cut = _SPLITTER * b
    b_high = cut - (cut - b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@strict
def scaled_float(digits, power, powers):
    """``(value, parsed)``: the float64 nearest to digits * 10**power; not parsed if rounding is uncertain."""
    high = np.float64(digits)
    if power < -MAX_POWER or power > MAX_POWER:
        return 0.0, False
    rounded = U(high)
    low = np.float64(digits - rounded) if digits >= rounded else -np.float64(rounded - digits)
    row = np.uintp(power + MAX_POWER)
    product, error = exact_product(high, powers[row, 0])
    error += high * powers[row, 1] + low * powers[row, 0]
    bound = _ERROR_BOUND * product
    value = product + (error - bound)
    return value, value == product + (error + bound) and 1e-270 < value < 1e308


@inlined
def byte(text, at):
    """A byte of the text; with an unsigned index, Numba need not test for a negative one."""
    return text[np.uintp(at)]


@inlined
def is_digit(character):
    return 48 <= character <= 57


@inlined
def is_space(character):
    return character == 32 or 9 <= character <= 13


@inlined
def parse_number(text, at, powers):
    """``(bits, end, parsed)`` of the number that starts at a byte and ends before a space or a ``#``.

    ``parsed`` is False for text that is not a plain number, or whose rounding is left to Python.
    """
    negative = byte(text, at) == 45
    if negative or byte(text, at) == 43:
        at += 1
    digits = U(0)
    start = at
    while is_digit(byte(text, at)):
        digits = digits * _TEN + U(byte(text, at) - 48)
        at += 1
    count = at - start
    power = 0
    if byte(text, at) == 46:
        at += 1
        point = at
        while digits == U(0) and byte(text, at) == 48:  # leading zeros do not count as digits
            at += 1
        start = at
        while is_digit(byte(text, at)):
            digits = digits * _TEN + U(byte(text, at) - 48)
            at += 1
        power = point - at
        count += at - start
    if count == 0 or count > 19:
        return U(0), at, False
    if byte(text, at) == 101 or byte(text, at) == 69:
        exponent, at = parse_exponent(text, at + 1)
        power += exponent
    parsed = is_space(byte(text, at)) or byte(text, at) == 35
    bits = U(0)
    if power == 0:
        bits = np.float64(digits).view(np.uint64)
    elif parsed and digits != U(0):
        value, parsed = scaled_float(digits, power, powers)
        bits = np.float64(value).view(np.uint64)
    if negative:
        bits |= _SIGN
    return bits, at, parsed


@inlined
def parse_exponent(text, at):
    """``(exponent, end)``; without digits the end is the ``e`` itself, so that the number is not parsed."""
    negative = byte(text, at) == 45
    if negative or byte(text, at) == 43:
        at += 1
    if not is_digit(byte(text, at)):
        return 0, at - 1
    exponent = 0
    while is_digit(byte(text, at)):
        if exponent < 100_000:
            exponent = exponent * 10 + np.int64(byte(text, at) - 48)
        at += 1
    return (-exponent if negative else exponent), at
