"""The LIBSVM text parser: bytes to labels and CSR arrays in one compiled pass.

Floats are stored as their 64 bits. A text that the compiled parser cannot parse (a word, a very long number,
``nan``) becomes a NaN whose low bits are the offset of the text, and is then parsed by Python.
"""

import numpy as np

from ...kernels.jit import inlined, kernel
from .decimal_floats import U, byte, is_digit, is_space, parse_number

FINE, BAD_PAIR, BAD_INDEX, NO_LABEL, UNEXPECTED_LABEL = range(5)
NEVER, ALWAYS, MAYBE = range(3)  # whether rows have labels
UNPARSED = U(0x7FF8 << 48)
OFFSET = U((1 << 48) - 1)
MAX_INDEX = 2**31 - 2


@inlined
def token_end(text, at):
    """``(end, colon)`` of a token: where it ends, and whether a colon is in it."""
    colon = False
    while not (is_space(byte(text, at)) or byte(text, at) == 35):
        colon |= byte(text, at) == 58
        at += 1
    return at, colon


@inlined
def next_token(text, at):
    """The start of the next token of a line, or the line break that ends it."""
    while byte(text, at) != 10 and is_space(byte(text, at)):
        at += 1
    if byte(text, at) == 35:
        while byte(text, at) != 10:
            at += 1
    return at


@inlined
def parse_label(text, at, labelled, powers):
    """``(bits, end, problem)`` of a row's label; without a label the end is the start."""
    bits, end, parsed = parse_number(text, at, powers)
    if parsed:
        return bits, end, UNEXPECTED_LABEL if labelled == NEVER else FINE
    end, colon = token_end(text, at)
    if colon:
        return UNPARSED, at, NO_LABEL if labelled == ALWAYS else FINE
    return UNPARSED | U(at), end, UNEXPECTED_LABEL if labelled == NEVER else FINE


@inlined
def parse_pair(text, at, powers):
    """``(index, bits, end, problem)`` of an index:value; the index is -1 for a qid, which is ignored."""
    start = at
    index = 0
    while is_digit(byte(text, at)):
        if index <= MAX_INDEX:
            index = index * 10 + np.int64(byte(text, at) - 48)
        at += 1
    if at == start or byte(text, at) != 58:
        end, _ = token_end(text, start)
        is_qid = (
            end - start > 3
            and byte(text, start) == 113
            and byte(text, start + 1) == 105
            and byte(text, start + 2) == 100
        )
        return -1, U(0), end, FINE if is_qid and byte(text, start + 3) == 58 else BAD_PAIR
    if index > MAX_INDEX:
        return -1, U(0), at, BAD_INDEX
    bits, end, parsed = parse_number(text, at + 1, powers)
    if not parsed:
        end, _ = token_end(text, at + 1)
        bits = UNPARSED | U(at + 1)
    return index, bits, end, FINE


@kernel
def parse_rows(text, labelled, skip, powers, starts, labels, indptr, indices, values):
    """Fill the arrays with the rows of a text that ends with a line break.

    Returns ``(problem, at, n_rows, n_skipped, ordered)``: the first problem and its offset (rows with
    one are left out and counted if ``skip``), and whether the indices of every row increase.
    """
    n_rows, n_values, n_skipped, ordered = 0, 0, 0, True
    at = 0
    while at < len(text):
        at = next_token(text, at)
        if byte(text, at) == 10:
            at += 1
            continue
        start, kept, before, rising = at, n_values, -1, True
        label, at, problem = parse_label(text, at, labelled, powers)
        place = start
        at = next_token(text, at)
        while byte(text, at) != 10 and problem == FINE:
            place = at
            index, bits, at, problem = parse_pair(text, at, powers)
            if index >= 0:
                indices[n_values] = index
                values[n_values] = bits
                n_values += 1
                rising &= index > before
                before = index
            at = next_token(text, at)
        if problem == FINE:
            starts[n_rows] = start
            labels[n_rows] = label
            n_rows += 1
            indptr[n_rows] = n_values
            ordered &= rising
        elif skip:
            n_values = kept
            n_skipped += 1
            while byte(text, at) != 10:
                at += 1
        else:
            return problem, place, n_rows, n_skipped, ordered
    return FINE, at, n_rows, n_skipped, ordered
