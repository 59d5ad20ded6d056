"""Decimal text to float64, correctly rounded, in integer arithmetic that Numba compiles.

A number is read as ``digits * 10**power`` with at most 19 digits, multiplied by a 128-bit power of
five and rounded (Lemire, Number Parsing at a Gigabyte per Second, Software: Practice and
Experience, 2021). The few texts that this cannot settle are left to Python's ``float``.
"""

import numpy as np

from ...kernels.jit import inlined

U = np.uint64
_LOW = U(0xFFFFFFFF)
_HALF = U(32)
_ONE = U(1)
_ONES = U(0xFFFFFFFFFFFFFFFF)
_NINE_ONES = U(0x1FF)
_HIDDEN = U(1 << 52)
_TEN = U(10)
_SIGN = U(1 << 63)
_EXACT = U(1 << 53)

SMALLEST, LARGEST = -342, 308  # powers of ten outside give zero or infinity for any 19 digits


def _fives() -> np.ndarray:
    """The first 128 bits of 5**power in two columns: rounded up for powers from -27 to -1, else cut off."""
    table = np.empty((LARGEST - SMALLEST + 1, 2), dtype=np.uint64)
    for power in range(SMALLEST, LARGEST + 1):
        if power >= 0:
            value = 5**power
            bits = value.bit_length()
            value = value << (128 - bits) if bits <= 128 else value >> (bits - 128)
        else:
            five = 5**-power
            value = (1 << (127 + five.bit_length())) // five + (power >= -27)
        table[power - SMALLEST] = value >> 64, value & (2**64 - 1)
    return table


FIVES = _fives()


@inlined
def product(a, b):
    """The high and the low 64 bits of a * b."""
    a_high, a_low, b_high, b_low = a >> _HALF, a & _LOW, b >> _HALF, b & _LOW
    low = a_low * b_low
    middle = a_high * b_low + (low >> _HALF)
    other = a_low * b_high + (middle & _LOW)
    high = a_high * b_high + (middle >> _HALF) + (other >> _HALF)
    return high, (other << _HALF) | (low & _LOW)


@inlined
def leading_zeros(word):
    """How many of the first bits of a word other than 0 are 0."""
    count = 0
    step = 32
    while step:
        if word >> U(64 - step) == U(0):
            word <<= U(step)
            count += step
        step >>= 1
    return count


@inlined
def float_bits(digits, power, fives):
    """``(bits, settled)`` of the float64 nearest to digits * 10**power, digits above 0."""
    if power < SMALLEST or power > LARGEST:
        return U(0), False
    shift = leading_zeros(digits)
    word = digits << U(shift)
    row = power - SMALLEST
    high, low = product(word, fives[np.uintp(row), 0])
    if high & _NINE_ONES == _NINE_ONES:  # a carry from the lower half may reach the bits that count
        carry, _ = product(word, fives[np.uintp(row), 1])
        room = _ONES - carry
        if low > room:
            low -= room + _ONE
            high += _ONE
        else:
            low += carry
    if low == _ONES and not -27 <= power <= 55:
        return U(0), False
    top = high >> U(63)
    cut = top + U(9)
    mantissa = high >> cut
    exponent = ((217706 * power) >> 16) + 1086 + np.int64(top) - shift
    if exponent <= 0:  # below the normal numbers
        return U(0), False
    # Halfway between two floats, exactly: to the even one.
    if low <= _ONE and -4 <= power <= 23 and mantissa & U(3) == _ONE and mantissa << cut == high:
        mantissa -= _ONE
    mantissa = (mantissa + (mantissa & _ONE)) >> _ONE
    if mantissa >= _HIDDEN + _HIDDEN:
        mantissa = _HIDDEN
        exponent += 1
    if exponent >= 2047:  # beyond the largest float
        return U(0), False
    return (mantissa - _HIDDEN) | (U(exponent) << U(52)), True


@inlined
def byte(text, at):
    """A byte of the text; an unsigned index spares the test for one below 0."""
    return text[np.uintp(at)]


@inlined
def is_digit(character):
    return 48 <= character <= 57


@inlined
def is_space(character):
    return character == 32 or 9 <= character <= 13


@inlined
def parse_number(text, at, fives):
    """``(bits, end, settled)`` of the number that starts at a byte and ends before a space or a ``#``.

    Text that is no plain number, or one that needs more care, is not settled.
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
        while digits == U(0) and byte(text, at) == 48:  # zeros that take none of the 19 digits
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
    settled = is_space(byte(text, at)) or byte(text, at) == 35
    bits = U(0)
    if power == 0 and digits < _EXACT:
        bits = np.float64(digits).view(np.uint64)
    elif settled and digits != U(0):
        bits, settled = float_bits(digits, power, fives)
    if negative:
        bits |= _SIGN
    return bits, at, settled


@inlined
def parse_exponent(text, at):
    """``(exponent, end)``; an exponent without digits ends on a byte that ends no number."""
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
