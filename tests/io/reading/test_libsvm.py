"""LIBSVM text: the numbers of scikit-learn's reader, many spellings, and bad lines named."""

import gc
import io
import json
import os
import signal
import weakref
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from aucmax.io import DataError, read, stream
from aucmax.io.reading import libsvm
from aucmax.io.reading.decimal_floats import POWERS, parse_number
from aucmax.io.reading.libsvm_kernel import parse_rows

LINES = b"+1 1:0.5 3:2\n-1 2:1e-3\n+1 3:-4.25\n-1\n"


def text(content, **options):
    return read(io.BytesIO(content), format="libsvm", **options)


def chunks(content, batch_size, **options):
    return list(stream(io.BytesIO(content), batch_size, format="libsvm", **options))


def same(table, X, y):
    np.testing.assert_array_equal(table.X.data, X.data)
    np.testing.assert_array_equal(table.X.indices, X.indices)
    np.testing.assert_array_equal(table.X.indptr, X.indptr)
    np.testing.assert_array_equal(table.y, y)
    assert table.X.shape == X.shape


def test_a_small_file():
    X, y, names, skipped, zero_based, *_ = text(LINES)
    np.testing.assert_array_equal(X.toarray(), [[0.5, 0, 2], [0, 1e-3, 0], [0, 0, -4.25], [0, 0, 0]])
    np.testing.assert_array_equal(y, [1, -1, 1, -1])
    assert (names, skipped, zero_based) == (None, 0, False)
    assert X.indices.dtype == X.indptr.dtype == np.int32


@pytest.mark.parametrize(
    "variant",
    [
        LINES.replace(b"\n", b"\r\n"),
        LINES.rstrip(b"\n"),
        b"# a comment\n\n" + LINES.replace(b"3:2", b"3:2 # two"),
        LINES.replace(b"3:2", b"3:2#two"),
        LINES.replace(b"+1 1", b"+1 qid:7 1"),
        LINES.replace(b" ", b" \t ").replace(b"-1 ", b"  -1 "),
        LINES.replace(b"1:0.5 3:2", b"3:1.5 1:.5 3:5e-1"),
        LINES.replace(b"-4.25", b"-0.425E+01").replace(b":2", b":2."),
        LINES.replace(b"0.5", b"0." + b"5" + 40 * b"0"),
    ],
    ids=["crlf", "no end", "comments", "tight comment", "qid", "spaces", "repeated", "exponents", "long"],
)
def test_spellings_of_the_same_rows(variant):
    same(text(variant), text(LINES).X, text(LINES).y)


def test_features_counted_from_zero():
    zero = LINES.replace(b"1:0.5", b"0:0.5")
    np.testing.assert_array_equal(text(zero).X.toarray()[0], [0.5, 0, 0, 2])
    assert text(LINES, zero_based=True).X.shape == (4, 4)
    with pytest.raises(DataError, match="line 1: feature 0 occurs, but features are counted from 1"):
        text(zero, zero_based=False)


def test_the_base_of_a_file_is_told_and_can_be_given_to_another():
    zero = LINES.replace(b"1:0.5", b"0:0.5")
    train = text(zero)
    assert train.zero_based is True
    test = text(LINES, n_features=4, zero_based=train.zero_based)
    assert test.zero_based is True
    np.testing.assert_array_equal(test.X.toarray()[0], [0, 0.5, 0, 2])
    assert [chunk.zero_based for chunk in chunks(zero, 2, n_features=4)] == [True, True]
    assert [chunk.zero_based for chunk in chunks(LINES, 2, n_features=4)] == [False, False]
    assert chunks(LINES, 2, n_features=4, zero_based=True)[1].zero_based is True


@pytest.mark.parametrize("width", [None, 4])
def test_the_base_is_the_same_after_resuming(tmp_path, width):
    path = tmp_path / "x.svm"
    path.write_bytes(LINES.replace(b"1:0.5", b"0:0.5") + LINES)  # no feature 0 after the first row
    first, *rest = stream(path, 2, n_features=width)
    position = json.loads(json.dumps(first.position))
    again = list(stream(path, 2, n_features=width, start=position))
    assert [chunk.zero_based for chunk in again] == [True, True, True]
    for one, other in zip(rest, again, strict=True):
        same(other, one.X, one.y)


def test_widths():
    assert text(LINES, n_features=7).X.shape == (4, 7)
    with pytest.raises(DataError, match="line 1: feature 3 is beyond the 2 features .* n_features=3"):
        text(LINES, n_features=2)
    assert text(b"1\n-1\n").X.shape == (2, 1)


def test_labels_of_every_kind():
    assert text(b"spam 1:1\nham 2:1\n").y.tolist() == ["spam", "ham"]
    assert text(b"spam 1:1\n7 2:1\n").y.tolist() == ["spam", "7"]
    assert text("grün 1:1\n".encode() + b"\xff 1:1\n").y.tolist() == ["grün", "\\xff"]
    assert text(b"1:1\n2:1\n").y is None
    with pytest.raises(DataError, match="line 2: 'ham' is not a finite number, but the label"):
        text(b"1 1:1\nham 2:1\n")
    with pytest.raises(DataError, match="line 2: '2:1' is not a label, but the first row has one"):
        text(b"1 1:1\n2:1\n")
    with pytest.raises(DataError, match="line 2: '1' is a label"):
        text(b"1:1\n1 2:1\n")
    with pytest.raises(DataError, match="more than 200 bytes"):
        text(b"x" * 300 + b" 1:1\n")


BAD_LINES = {
    b"1 3;2": "'3;2' is not index:value",
    b"1 :2": "':2' is not index:value",
    b"1 -3:2": "'-3:2' is not index:value",
    b"1 a:2": "'a:2' is not index:value",
    b"1 2": "'2' is not index:value",
    b"1 4294967296:2": "has an index above",
    b"1 99999999999999999999:2": "has an index above",
    b"1 1:nan": "'nan' is not a finite number",
    b"1 1:inf": "'inf' is not a finite number",
    b"1 1:1e999": "'1e999' is not a finite number",
    b"1 1:": "'' is not a finite number",
    b"1 1:1_0": "'1_0' is not a finite number",
    b"1 1:0x10": "'0x10' is not a finite number",
    b"1 1:2:3": "'2:3' is not a finite number",
    b"nan 1:2": "'nan' is not a finite number, but the label",
    b"1 1:\xff": "xff' is not a finite number",
}


@pytest.mark.parametrize(("line", "reason"), BAD_LINES.items())
def test_bad_lines_are_refused_or_skipped(line, reason):
    broken = b"# first\n1 1:2\n\n" + line + b"\n-1 2:3\n"
    with pytest.raises(DataError, match="the input, line 4: ") as caught:
        text(broken)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    table = text(broken, on_bad_rows="skip")
    assert table.skipped == 1
    np.testing.assert_array_equal(table.X.toarray(), [[2, 0], [0, 3]])
    np.testing.assert_array_equal(table.y, [1, -1])


def test_the_first_bad_line_is_named():
    with pytest.raises(DataError, match="line 1"):
        text(b"1 1:nan\n1 3;2\n")


def test_no_rows():
    for content, what in (
        (b"", "has no rows"),
        (b"# only\n\n", "has no rows"),
        (b"1 1:x\n", "its only row is bad"),
    ):
        with pytest.raises(DataError, match=what):
            text(content, on_bad_rows="skip")
        with pytest.raises(DataError, match=what):
            chunks(content, 2, on_bad_rows="skip", n_features=3)


def test_bad_rows_of_a_file_that_is_read_twice(tmp_path):
    (tmp_path / "bad.svm").write_bytes(b"1 x\n1 y\n")
    with pytest.raises(DataError, match="all 2 rows are bad"):
        list(stream(tmp_path / "bad.svm", on_bad_rows="skip"))
    (tmp_path / "end.svm").write_bytes(b"1 1:1\n1 x\n1 y\n")
    rows = stream(tmp_path / "end.svm", 1, on_bad_rows="skip")
    assert ([chunk.skipped for chunk in rows], rows.skipped) == ([0], 2)


def test_sums_that_overflow():
    with pytest.raises(DataError, match="add up to infinity"):
        text(b"1 1:1e308 1:1e308\n")


def test_no_ctrl_c_is_lost_in_threads(monkeypatch):
    """It waits while they start, hand over a result and go: Python would forget it, or keep a lock."""
    handlers, references = [], []

    def note(*_):
        handlers.append(signal.getsignal(signal.SIGINT))

    class Pool(ThreadPoolExecutor):
        def submit(self, *task):
            note()
            future = super().submit(*task)
            references.extend(weakref.ref(thread, note) for thread in self._threads)
            future.result = lambda: (signal.raise_signal(signal.SIGINT), Future.result(future))[1]
            return future

    monkeypatch.setattr("aucmax.kernels.interrupts.ThreadPoolExecutor", Pool)
    with pytest.raises(KeyboardInterrupt):
        text(LINES)
    gc.collect()
    assert len(handlers) == 2
    assert signal.default_int_handler not in handlers
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_many_blocks_and_threads(monkeypatch, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 20)) * (rng.random((500, 20)) < 0.3)
    y = rng.integers(0, 3, 500)
    path = tmp_path / "x.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    expected = load_svmlight_file(str(path), n_features=20)
    monkeypatch.setattr(libsvm, "BLOCK", 777)
    same(read(path, n_features=20), *expected)
    for piece in (1, 3):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\n" * piece))
        same(read(path, n_features=20), *expected)


@pytest.mark.parametrize("name", ["a9a", "w8a", "german.numer", "news20.t", "usps.t", "leu"])
def test_the_numbers_of_scikit_learn(real, name):
    X, y = real(name)
    same(read(f"{os.environ['AUCMAX_DATA']}/{name}.svm.xz"), X, y)


def numbers_of(tokens):
    rows = ("0 1:" + "\n0 1:".join(tokens) + "\n").encode()
    n = len(tokens)
    values = np.empty(n, np.uint64)
    arrays = np.empty(n, np.int64), np.empty(n, np.uint64), np.zeros(n + 1, np.int64), np.empty(n, np.int32)
    parse_rows(np.frombuffer(rows, np.uint8), True, False, POWERS, *arrays, values)
    return values.view(np.float64)


def test_correct_rounding():
    rng = np.random.default_rng(0)
    n = 20_000
    bits = rng.integers(0, 2**63, n, dtype=np.uint64).view(np.float64)
    digits, powers = rng.integers(1, 2**63, n).tolist(), rng.integers(-330, 300, n).tolist()
    halves = [str((2 * m + 1) << 4) for m in rng.integers(2**52, 2**53, n).tolist()]
    for tokens in (
        [repr(x) for x in rng.random(n).tolist()],
        [repr(x) for x in bits[np.isfinite(bits)].tolist()],
        [f"{m}e{e}" for m, e in zip(digits, powers, strict=True)],
        [f"{k / 2**j:.19g}" for k in range(1, 300) for j in range(1, 40)],
        halves,
    ):
        found = numbers_of(tokens)
        wanted = np.array([float(token) for token in tokens])
        parsed = ~np.isnan(found)
        assert parsed.mean() > 0.9
        np.testing.assert_array_equal(found[parsed], wanted[parsed])


@pytest.mark.python_mode
def test_numbers_without_compiling():
    for token in (
        "1",
        "-0.25",
        "17.125",
        "1e3",
        "0.1",
        "1234.5e-3",
        "0.30000000000000004",
        "9007199254740993",
    ):
        bits, end, parsed = parse_number(np.frombuffer(token.encode() + b"\n", np.uint8), 0, POWERS)
        assert parsed
        assert end == len(token)
        assert np.uint64(bits).view(np.float64) == float(token)
    for token in ("x", "1e", "1e+", "--1", ".", "1:2", "nan", "1e400"):
        assert not parse_number(np.frombuffer(token.encode() + b"\n", np.uint8), 0, POWERS)[2]


def test_chunks_make_up_the_whole(tmp_path):
    path = tmp_path / "x.svm"
    path.write_bytes(b"# head\n" + LINES * 9)
    whole = read(path)
    for batch_size in (1, 3, 7, 1000):
        found = list(stream(path, batch_size))
        assert all(0 < chunk.X.shape[0] <= batch_size for chunk in found)
        np.testing.assert_array_equal(np.vstack([chunk.X.toarray() for chunk in found]), whole.X.toarray())
        np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in found]), whole.y)


def test_resuming_gives_the_same_chunks(tmp_path):
    path = tmp_path / "x.svm"
    path.write_bytes(b"# head\n" + LINES * 9 + b"1 1:x\n" + LINES)
    options = {"on_bad_rows": "skip", "batch_size": 4}
    chunks = list(stream(path, **options))
    for k, chunk in enumerate(chunks):
        rest = list(stream(path, start=json.loads(json.dumps(chunk.position)), **options))
        assert [other.position for other in rest] == [other.position for other in chunks[k + 1 :]]
        for one, other in zip(chunks[k + 1 :], rest, strict=True):
            same(other, one.X, one.y)
            assert other.skipped == one.skipped
    assert sum(chunk.skipped for chunk in chunks) == 1


def test_a_stream_needs_a_width_or_a_second_look(tmp_path):
    with pytest.raises(DataError, match="number of features is not known before its end; give n_features"):
        chunks(LINES, 2)
    assert [chunk.X.shape for chunk in chunks(LINES, 3, n_features=5)] == [(3, 5), (1, 5)]
    late = LINES + b"1 0:1\n"
    with pytest.raises(DataError, match="line 5: feature 0 .* zero_based=True"):
        chunks(late, 2, n_features=5)
    assert len(chunks(late, 2, n_features=5, zero_based=True)) == 3
    path = tmp_path / "late.svm"
    path.write_bytes(late)
    assert [chunk.X.shape[1] for chunk in stream(path, 2)] == [4, 4, 4]


def test_errors_in_a_stream_count_lines_from_the_top(tmp_path):
    path = tmp_path / "x.svm"
    path.write_bytes(LINES * 5 + b"1 1:x\n")
    found = stream(path, 4, n_features=3)
    first = next(found)
    with pytest.raises(DataError, match="x.svm, line 21: 'x'"):
        list(found)
    with pytest.raises(DataError, match="x.svm, line 21: 'x'"):
        list(stream(path, 4, start=first.position))


def test_labels_may_be_given():
    rows = b"1 1:2\n-1 1:1\n\n3 1:5\n1 1:3\n"
    with pytest.raises(
        DataError, match="the input, line 4: '3' is not one of the classes -1, 1; correct the"
    ):
        text(rows, classes=[-1, 1])
    for found in (text(rows, classes=[-1, 1], on_bad_rows="skip"), text(rows, classes=[-1, 1, 3])):
        assert set(found.y.tolist()) == ({1, -1} if found.skipped else {1, -1, 3})
        assert found.skipped + len(found.y) == 4
    with pytest.raises(DataError, match="line 1: '1' is not one of the classes 'a', 'b'"):
        text(rows, classes=["a", "b"])
