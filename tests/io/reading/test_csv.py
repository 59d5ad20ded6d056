"""CSV and TSV: headers, labels, spellings of numbers, and bad lines that are named."""

import io

import numpy as np
import pytest

from aucmax.io import DataError, read, stream
from aucmax.io.reading import csv as delimited
from aucmax.io.reading import lines


def text(content, label=None, **options):
    return read(io.BytesIO(content), label, format="csv", **options)


def test_labels_in_text_files():
    for labels, found in (
        ("1 0", [1, 0]),
        ("-1 +1", [-1, 1]),
        ("1.0 0.5", [1.0, 0.5]),
        ("1 0.5", [1.0, 0.5]),
        ("yes 1", ["yes", "1"]),
        ("True False", ["True", "False"]),
    ):
        one, two = labels.split()
        y = text(f"a,y\n1,{one}\n2,{two}\n".encode(), "y").y
        assert y.tolist() == found
        assert y.dtype == np.array(found).dtype
    with pytest.raises(DataError, match="line 3: a label in column 'y' is not a finite number"):
        text(b"a,y\n1,1\n2,yes\n", "y")
    with pytest.raises(DataError, match="is longer than 200 characters"):
        text(b"a,y\n1,b\n2," + b"x" * 300 + b"\n", "y")


def test_spaces_around_text_do_not_count():
    table = text(b"a, t, y\n1, x y, sick \n2,x y ,sick\n", "y", categorical="onehot")
    assert table.y.tolist() == ["sick", "sick"]
    assert table.feature_names == ["a", "t=x y"]
    np.testing.assert_array_equal(table.X.toarray(), [[1, 1], [2, 1]])


def test_the_first_good_label_gives_the_kind_of_all():
    late = b"a,y\n1,\n2\n3,NA\n4,0\n5,1\n6,x\n"
    assert text(late, "y", on_bad_rows="skip").y.tolist() == [0, 1]
    chunks = list(stream(io.BytesIO(late), 2, "y", on_bad_rows="skip"))
    assert [chunk.y.tolist() for chunk in chunks] == [[0], [1]]
    assert sum(chunk.skipped for chunk in chunks) == 4


def test_headers():
    assert text(b"1,2\n3,4\n").feature_names is None
    assert text(b"1,2\n3,4\n").X.shape == (2, 2)
    assert text(b"0.5,g\n0.7,h\n", -1).y.tolist() == ["g", "h"]
    assert text(b"a,0\n3,4\n").feature_names == ["a", "0"]
    assert text(b"\xef\xbb\xbfa,b\n3,4\n").feature_names == ["a", "b"]
    assert text(b'\n\n"a, b";c\n3;4\n').feature_names == ["a, b", "c"]
    assert text(b"a|b\r\n3|4\r\n").X.tolist() == [[3, 4]]


def test_text_that_is_not_utf_8_is_refused():
    for encoding in ("utf-16-le", "utf-16-be"):  # without a byte order mark
        for label in (None, "bought"):
            with pytest.raises(DataError, match="it is not UTF-8 text; save it as UTF-8"):
                text("age,bought\n31,yes\n28,no\n".encode(encoding), label)


def test_carriage_returns_alone_are_refused():
    with pytest.raises(DataError, match="its lines end in carriage returns alone; save it with line feeds"):
        text(b"a,y\r1,2\r3,4\r", "y")


def test_spellings_of_numbers():
    table = text(b'a,b\n 1 ,+2\n"3",4e-1\n\n.5,5.\n')
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 0.4], [0.5, 5]])


BAD_LINES = {
    b"1,2,3,4": "4 columns where 3 are expected in '1,2,3,4'",
    b"1,2": "2 columns where 3 are expected in '1,2'",
    b"1,x,a": "'x' in column 'b' is not a number",
    b"1,1_0,a": "'1_0' in column 'b' is not a number",
    b"1,2,\x81": "is not UTF-8 text",
    b"inf,2,a": "an infinite value in column 'a'; correct it, read it as missing (in CSV: na_values=",
    b"1,NA,a": "a missing value in column 'b'",
    b"1,2,": "no label in column 'y'",
    b'1,2,"a': "",
}


@pytest.mark.parametrize(("line", "reason"), BAD_LINES.items())
def test_bad_lines_are_refused_or_skipped(line, reason):
    good = b"".join(b"%d,%d,%s\n" % (k, k, b"ab"[k % 2 : k % 2 + 1]) for k in range(20))
    broken = b"a,b,y\n" + good + b"\n" + line + b"\n" + good
    if not reason:  # a quote left open ends with its line
        assert text(broken, "y").X.shape == (41, 2)
        return
    with pytest.raises(DataError, match="line 23: ") as caught:
        text(broken, "y")
    assert reason in str(caught.value)
    for end in (b"\n", b"\r\n"):
        table = text(broken.replace(b"\n", end), "y", on_bad_rows="skip")
        assert table.skipped == 1
        assert table.X.shape == (40, 2)
    with pytest.raises(DataError, match="line 23: "):
        list(stream(io.BytesIO(broken), 4, "y"))


def test_infinity_can_be_read_as_missing():
    table = text(b"a,y\n1,u\ninf,v\n3,u\n", "y", na_values=["inf"], missing="mean")
    np.testing.assert_array_equal(table.X, [[1], [2], [3]])


def test_lone_carriage_returns_and_open_quotes_are_read_line_by_line():
    np.testing.assert_array_equal(text(b"a,b\n1,2\r\r\n3,4\n").X, [[1, 2], [3, 4]])
    assert text(b'a,y\n1,"u\n2,"v\n', "y").y.tolist() == ["u", "v"]
    np.testing.assert_array_equal(text(b'a,f,y\n1,true,"u\n2,False,"v\n', "y").X, [[1, 1], [2, 0]])


def test_lines_longer_than_a_block():
    wide = ",".join(f"{k}.125{'0' * 600}" for k in range(2_000))
    assert text(f"{wide}\n{wide}\n".encode()).X[1, 7] == 7.125


def test_text_late_in_a_column_of_numbers(monkeypatch):
    monkeypatch.setattr(delimited, "SAMPLE", 3)
    with pytest.raises(DataError, match="line 6: 'x' in column 'a'"):
        text(b"a\n1\n2\n3\n4\nx\n5\n")


def test_lines_across_blocks(monkeypatch):
    rows = b"".join(b"%d,%d\n" % (k, k * k) for k in range(300))
    expected = np.array([[k, k * k] for k in range(300)])
    for block in (1, 7, 64):
        monkeypatch.setattr(lines, "BLOCK", block)
        for batch_size in (1, 3, 1000):
            found = list(stream(io.BytesIO(b"a,b\n" + rows), batch_size))
            np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in found]), expected)
            assert found[-1].position["byte"] == len(rows) + 4
            assert found[-1].position["line"] == 302


def test_a_line_without_end(monkeypatch):
    monkeypatch.setattr(lines, "MAX_LINE", 1000)
    monkeypatch.setattr(lines, "BLOCK", 100)
    with pytest.raises(DataError, match="line 2: the line is longer than 1,000 bytes"):
        list(stream(io.BytesIO(b"a,b\n" + b"1" * 200_000)))
