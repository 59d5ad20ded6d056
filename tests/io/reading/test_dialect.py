"""Delimited text as it comes: delimiters, title lines, headers, encodings, line breaks in quotes."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax.io import DataError, read, stream
from aucmax.io.reading import records
from aucmax.io.reading.dialect import find_encoding
from aucmax.io.reading.lines import Lines


def text(content, label=None, **options):
    return read(io.BytesIO(content), label, format="csv", **options)


PLAIN = b"a,b,y\n1,2,u\n3,4,v\n5.5,6,u\n"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize(
    "start",
    [b"", b"sep=X\n", b'"sep=X"\r\n', b"\xef\xbb\xbfsep=X\n", b"Sales of 2024\n\n", b"TitleXX\nsourceXX\n\n"],
)
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_what_stands_above_the_header_is_skipped(delimiter, start, end):
    content = start.replace(b"X", delimiter.encode()) + PLAIN.replace(b",", delimiter.encode())
    table = text(content.replace(b"\n", end), "y")
    assert table.feature_names == ["a", "b"]
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4], [5.5, 6]])
    assert table.y.tolist() == ["u", "v", "u"]


@pytest.mark.parametrize("delimiter", [b",", b";", b"\t", b"|"])
@pytest.mark.parametrize("title", [b"", b"Customers, 1 December; all | of them\n\n", b"a\n"])
def test_the_columns_of_a_model_tell_the_header_of_a_file_of_one_row(delimiter, title):
    encoding = text(PLAIN, "y").encoding
    content = title + b"note,b,a\nx y,2,1\n".replace(b",", delimiter)
    for end in (b"\n", b"\r\n"):
        table = text(content.replace(b"\n", end), encoding=encoding)
        np.testing.assert_array_equal(table.X, [[1, 2]])


def test_options_decide_where_the_header_of_a_known_table_is():
    encoding = text(PLAIN, "y").encoding
    content = b"a,b\n1,2\nb,a\n3,4\n"
    np.testing.assert_array_equal(text(content, skip_lines=2, encoding=encoding).X, [[4, 3]])
    np.testing.assert_array_equal(text(content[8:], delimiter=",", encoding=encoding).X, [[4, 3]])
    with pytest.raises(DataError, match="it has no column 'a'"):
        text(b"Title\na,b\n1,2\n", skip_lines=0, encoding=encoding)
    with pytest.raises(DataError, match="it has no column 'a'"):
        text(content, header=False, encoding=encoding)


def test_places_count_all_lines():
    with pytest.raises(DataError, match="line 5: 2 columns where 3 are expected"):
        text(b"Title\n\na,b,y\n1,2,u\n3,4\n5,6,u\n" + b"5,6,u\n" * 9, "y")


def test_decimal_commas_do_not_pass_for_delimiters():
    for header in (b"", b"x;z;w\n"):
        table = text(header + b"1,5;2,5;3\n1,25;7,5;4\n0,5;2,75;5\n")
        np.testing.assert_array_equal(table.X, [[1.5, 2.5, 3], [1.25, 7.5, 4], [0.5, 2.75, 5]])
        assert (table.feature_names is None) == (header == b"")
        assert table.found["decimal"] == ","


def test_options_decide():
    assert text(b"a b\n1 2\n", delimiter=" ").feature_names == ["a", "b"]
    assert text(b"1;2\n3;4\n", header=True).feature_names == ["1", "2"]
    assert text(b"x,y\nu,v\n", header=False, categorical="onehot").X.shape == (2, 4)
    assert text(b"a,b\n1,2\n3,4\n", skip_lines=2, header=False).X.tolist() == [[3, 4]]
    assert text(b"note\na,b\n1,2\n", skip_lines=1).feature_names == ["a", "b"]
    table = text(b"a;b\n1,234;5\n", decimal=".")
    assert (table.X.tolist(), table.found["decimal"]) == ([[1234, 5]], ".")
    assert text(b"a;b\n1,234;5\n", decimal=",").X.tolist() == [[1.234, 5]]
    assert text(b"a,b\n-999,2\nx,3\n4,5\n", na_values=["-999", "x"], missing="zero").X[:, 0].tolist() == [
        0,
        0,
        4,
    ]


@pytest.mark.parametrize(
    ("option", "values"),
    {
        "delimiter": ["", "ab", "é", "x", '"', 7],
        "decimal": ["", ";", 1],
        "skip_lines": [-1, 1.5, "1"],
        "header": ["yes", 1, "no"],
        "na_values": ["?", [1], {"a": 1}],
        "day_first": ["yes", 2, 0.5],
    }.items(),
)
def test_options_out_of_range(option, values):
    for value in values:
        with pytest.raises(ValueError, match=f"{option} must be .*; got"):
            text(PLAIN, "y", **{option: value})


def test_too_many_lines_to_skip():
    with pytest.raises(DataError, match="it has no rows"):
        text(PLAIN, "y", skip_lines=9)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding):
    content = "Größe;y\n1,5;für\n2,5;gegen €\n" + "3;für\n" * 2000
    path = io.BytesIO(content.encode(encoding))
    table = read(path, "y", format="csv")
    assert table.feature_names == ["Größe"]
    assert set(table.y.tolist()) == {"für", "gegen €"}
    chunks = list(stream(io.BytesIO(content.encode(encoding)), 700, "y", format="csv"))
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in chunks]), table.y)
    rest = stream(io.BytesIO(content.encode(encoding)), 700, "y", format="csv", start=chunks[0].position)
    np.testing.assert_array_equal(next(rest).y, chunks[1].y)


def test_broken_utf_16():
    with pytest.raises(DataError, match="it is not UTF-16"):
        read(io.BytesIO("a,b\n1,2\n".encode("utf-16")[:-1]), format="csv")


def test_a_broken_byte_is_not_an_encoding():
    assert find_encoding("Größe".encode()) == "utf-8"
    assert find_encoding("Größe".encode("cp1252")) == "cp1252"
    assert find_encoding("Größe".encode() + b"\xff") == "utf-8"
    assert find_encoding(b"a\x81b") == "utf-8"
    with pytest.raises(DataError, match=r"line 3: .* is not UTF-8 text"):
        text("a,y\n1,ü\n".encode() + b"2,\xff\n", "y")


MULTI = b'id,note,x,y\n1,"two\nlines, and ""quotes""",5,u\n2,plain,6,v\n3,"\n\n",7,u\n4,5" pipe,8,v\n'


def test_line_breaks_in_quotes():
    for end in (b"\n", b"\r\n"):
        table = text(MULTI.replace(b"\n", end), "y", categorical="onehot", missing="zero")
        assert table.X.shape == (4, 5)
        assert 'note=two\nlines, and "quotes"' in table.feature_names
        assert table.y.tolist() == ["u", "v", "u", "v"]
    with pytest.raises(DataError, match="line 4: 3 columns where 4 are expected"):
        text(MULTI.replace(b"2,plain,6,v", b"2,plain,6") * 1, "y", categorical="onehot")
    with pytest.raises(DataError, match="line 4: .*'x' in column 'x' is not a number"):
        text(b'n,x,y\n"a\nb",5,u\n"c\nd",x,v\n' + b"e,6,u\n" * 20, "y", categorical="onehot")


def test_a_header_of_several_lines():
    table = text(b'"Amount\n(EUR)",y\n5,u\n6,v\n', "y")
    assert table.feature_names == ["Amount\n(EUR)"]


@pytest.mark.parametrize("batch_size", [1, 2, 3, 100])
def test_line_breaks_in_quotes_in_streams(batch_size):
    content = MULTI * 1 + MULTI.partition(b"\n")[2] * 9
    whole = text(content, "y", categorical="hash", missing="zero", n_features=50)
    chunks = list(
        stream(io.BytesIO(content), batch_size, "y", 50, format="csv", categorical="hash", missing="zero")
    )
    np.testing.assert_array_equal(np.vstack([chunk.X.toarray() for chunk in chunks]), whole.X.toarray())
    for k in range(0, len(chunks) - 1, 3):
        rest = stream(
            io.BytesIO(content), batch_size, "y", 50, format="csv", categorical="hash", missing="zero",
            start=chunks[k].position,
        )  # fmt: skip
        np.testing.assert_array_equal(next(rest).X.toarray(), chunks[k + 1].X.toarray())


class Memory:
    """A source for ``Lines``."""

    def __init__(self, content):
        self.read = io.BytesIO(content).read


def first_lines(content, n_lines):
    """The number of the line in which each row begins, for text in batches of so many lines."""
    found = []
    for part, line, inside in records.batches(Lines(Memory(content)), n_lines, ","):
        n_here = part.count(b"\n") + (not part.endswith(b"\n"))
        found += [line + k for k in range(n_here) if k - 1 not in inside]
    return found


cells = st.lists(st.sampled_from(['"', ",", "\n", "a", "\r\n", '""', " "]), max_size=6).map("".join)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=8), st.integers(1, 5))
@settings(max_examples=300, deadline=None)
def test_line_breaks_in_quotes_are_those_of_the_standard_library(rows, n_lines):
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    content = file.getvalue()
    reader = csv.reader(io.StringIO(content, newline=""))
    ends = [content[:end].count("\n") for end in _row_ends(content, reader)]
    assert first_lines(content.encode(), n_lines) == [1, *(end + 1 for end in ends[:-1])]


def _row_ends(content, reader):
    """Where each row ends, by writing again what the standard library read."""
    at = 0
    for row in reader:
        file = io.StringIO(newline="")
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(row)
        at += len(file.getvalue())
        yield at
    assert at == len(content)


@given(st.lists(st.sampled_from(['"', '"', ",", "\n", "\n", "a", "\r\n", '""', '",', ',"']), max_size=60))
@settings(max_examples=500, deadline=None)
def test_any_text_is_divided_alike_in_any_batches(pieces):
    content = "".join(pieces).encode()
    whole = first_lines(content, 1000)
    for n_lines in (1, 2, 3, 7):
        assert first_lines(content, n_lines) == whole


def test_a_quote_left_open_for_long_ends_with_its_line(monkeypatch):
    monkeypatch.setattr(records, "MAX_LINES", 3)
    content = b'a,y\n1,"u\n' + b"2,v\n" * 9 + b'3,w"\n'
    whole = text(content, "y")
    assert whole.y.tolist() == ["u", *["v"] * 9, 'w"']
    for batch_size in (1, 2, 5, 50):
        chunks = stream(io.BytesIO(content), batch_size, "y", format="csv")
        assert np.concatenate([chunk.y for chunk in chunks]).tolist() == whole.y.tolist()
