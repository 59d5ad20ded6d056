"""The tables that `predict` prints."""

import csv
import io


def read_table(text):
    """The columns of CSV with a header, by name; numbers are floats except in ``label``."""
    head, *rows = csv.reader(io.StringIO(text))
    columns = dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))
    return {
        name: list(map(float, cells)) if name in ("score", "probability") else cells
        for name, cells in columns.items()
    }
