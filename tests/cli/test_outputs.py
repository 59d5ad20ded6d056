"""Tables of any text and any numbers come back from CSV, JSON lines and Parquet as they were."""

import csv
import io
import json
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from aucmax.cli.outputs import ParquetOutput, TextOutput, open_output

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
ROWS = st.lists(st.tuples(TEXT, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=6)


def columns(rows):
    names, scores = zip(*rows, strict=True)
    return {"an, ID": list(names), "score": np.array(scores)}


@given(ROWS, ROWS)
@settings(deadline=None)
def test_csv_keeps_every_cell_and_every_bit(first, second):
    file = io.BytesIO()
    output = TextOutput(file, as_json=False, flush=True)
    output.write(columns(first))
    output.write(columns(second))
    head, *rows = csv.reader(io.StringIO(file.getvalue().decode(), newline=""))
    assert head == ["an, ID", "score"]
    assert [(name, float(score)) for name, score in rows] == first + second


@given(ROWS, ROWS)
@settings(deadline=None)
def test_json_lines_and_parquet_keep_every_value(first, second):
    lines, table = io.BytesIO(), io.BytesIO()
    output = TextOutput(lines, as_json=True, flush=False)
    with closing(ParquetOutput(table)) as other:
        for rows in (first, second):
            output.write(columns(rows))
            other.write(columns(rows))
    found = [json.loads(line) for line in lines.getvalue().decode().split("\n")[:-1]]
    assert [tuple(row.values()) for row in found] == first + second
    assert parquet.read_table(table).to_pylist() == found


@pytest.mark.parametrize("name", ["out.csv", "out.parquet"])
def test_an_error_leaves_no_file(tmp_path, name):
    def write():
        with open_output(str(tmp_path / name), False) as output:
            output.write({"score": np.ones(3)})
            raise ValueError("halfway")

    with pytest.raises(ValueError, match="halfway"):
        write()
    assert not list(tmp_path.iterdir())


def test_a_missing_id_is_an_empty_cell():
    file = io.BytesIO()
    TextOutput(file, as_json=False, flush=False).write({"id": ["a", None], "score": np.ones(2)})
    assert file.getvalue() == b"id,score\na,1.0\n,1.0\n"
