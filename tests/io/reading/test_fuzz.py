"""Any bytes through any reader: a table or a DataError, never another exception, a crash or a hang.

``AUCMAX_FUZZ=10000`` sets the number of examples for each test.
"""

import bz2
import gzip
import io
import lzma
import os
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from aucmax.io import DataError, read, stream

thorough = settings(
    max_examples=int(os.environ.get("AUCMAX_FUZZ", "120")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

NUMBERS = [
    "0",
    "1",
    "-1",
    "+1",
    "0.5",
    "1e-3",
    "1e400",
    "nan",
    "inf",
    "NA",
    "",
    "0x1",
    "1_0",
    "9" * 25,
    "2147483648",
]
PIECES = [
    *NUMBERS,
    ":",
    "#",
    " ",
    "\t",
    ",",
    ";",
    '"',
    "qid:",
    "\r",
    "\0",
    "é",
    "\ud800",
    "true",
    "yes",
    "1:1",
    "2:",
    *("1,5", "1.234,56 €", "12 %", "$1,000", "31.12.2024", "2024-02-30", "1/2/24 9:05", "00123", "?", "-"),
    *('"a\nb"', '"', "'", "|", "sep=;", "\ufeff", "\n\n"),
]
junk = st.one_of(
    st.binary(max_size=200),
    st.lists(st.sampled_from([*PIECES, "\n", "\n"]), max_size=60).map(
        lambda pieces: "".join(pieces).encode("utf-8", "surrogatepass")
    ),
)
choices = {
    "on_bad_rows": st.sampled_from(["error", "skip"]),
    "missing": st.sampled_from([None, "zero", "mean"]),
    "categorical": st.sampled_from([None, "onehot", "hash"]),
    "label": st.sampled_from([None, "y", 0, -1]),
    "n_features": st.sampled_from([None, 3, 300]),
    "delimiter": st.sampled_from([None, None, None, ",", ";", " "]),
    "decimal": st.sampled_from([None, None, ".", ","]),
    "header": st.sampled_from([None, None, True, False]),
    "skip_lines": st.sampled_from([None, None, 0, 1, 5]),
    "na_values": st.sampled_from([None, None, ["1", "yes"]]),
    "day_first": st.sampled_from([None, True, False]),
}
options = st.fixed_dictionaries(choices)
pairs = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(PIECES)).map(":".join), max_size=4)
svm = st.lists(
    st.tuples(st.sampled_from(["1", "-1", *PIECES]), pairs).map(lambda row: " ".join([row[0], *row[1]])),
    max_size=8,
).map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass"))
rows = st.lists(st.lists(st.sampled_from(PIECES), min_size=2, max_size=4).map(",".join), max_size=8)
csv = rows.map(lambda lines: "\n".join(["a,b,y", *lines]).encode("utf-8", "surrogatepass"))


def check_rows(X, y):
    assert X.shape[0] > 0
    assert y is None or y.shape == (X.shape[0],)
    values = X.data if sparse.issparse(X) else X
    assert np.isfinite(values).all()
    assert y is None or y.dtype.kind != "f" or np.isfinite(y).all()


def check_message(message):
    assert "\n" not in message
    assert len(message) < 1000


def copies(content):
    """The input, which is read from its beginning: one file, or a list of several."""
    return list(map(io.BytesIO, content)) if isinstance(content, list) else io.BytesIO(content)


def attempt(content, format, chosen, batch_size=3):
    """Read and stream; what both give must agree."""
    table = None
    try:
        table = read(copies(content), format=format, **chosen)
        check_rows(table.X, table.y)
    except DataError as error:
        check_message(str(error))
    try:
        chunks = list(stream(copies(content), batch_size, format=format, **chosen))
        for chunk in chunks:
            check_rows(chunk.X, chunk.y)
    except DataError:
        return
    if table is not None and chosen["missing"] != "mean":
        assert sum(chunk.X.shape[0] for chunk in chunks) == table.X.shape[0]


@pytest.mark.parametrize("format", [None, "libsvm", "csv", "tsv"])
@given(content=junk, chosen=options)
@thorough
def test_any_bytes_as_text(format, content, chosen):
    attempt(content, format, chosen)


@pytest.mark.parametrize("format", [None, "libsvm", "csv"])
@given(content=st.lists(st.one_of(junk, svm, csv), min_size=2, max_size=3), chosen=options)
@thorough
def test_several_files(format, content, chosen):
    attempt(content, format, chosen)


@given(content=svm, chosen=options)
@thorough
def test_nearly_libsvm(content, chosen):
    attempt(content, "libsvm", chosen)


@given(content=csv, chosen=options)
@example(
    content=b"a,b,y\n0,0\n0,0\n0,0,0\n0,0, ",
    chosen={"on_bad_rows": "skip", "missing": None, "categorical": "hash", "label": None, "n_features": None},
)
@example(
    content=b"a,b,y\n0,0\n0,0\n0,0\n\xef\xbb\xbf,0",  # a byte order mark where a chunk begins
    chosen={"on_bad_rows": "skip", "missing": None, "categorical": "hash", "label": None, "skip_lines": 1},
)
@thorough
def test_nearly_csv(content, chosen):
    attempt(content, "csv", chosen)


def _files():
    table = pa.table({"a": [1.0, 2.0, None], "b": [1, 2, 3], "t": ["u", "v", "u"], "y": [True, False, True]})
    parquet, feather, arrow = io.BytesIO(), io.BytesIO(), io.BytesIO()
    pa.parquet.write_table(table, parquet, row_group_size=2)
    pa.feather.write_feather(table, feather, compression="uncompressed")
    with pa.ipc.new_stream(arrow, table.schema) as writer:
        writer.write_table(table)
    text = b"1 1:2 3:4\n-1 2:1\n" * 20
    packed = {
        name: packer(text)
        for name, packer in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress))
    }
    packed["zst"] = pa.compress(text, "zstd", asbytes=True)
    packed["utf-16"] = "a;b;y\n1,5;ü;0\n2,5;v;1\n".encode("utf-16")
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("x.svm", text)
    packed["zip"] = archive.getvalue()
    return {"parquet": parquet.getvalue(), "feather": feather.getvalue(), "arrow": arrow.getvalue(), **packed}


FILES = _files()


@pytest.mark.parametrize("kind", FILES)
@given(
    changes=st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=4),
    cut=st.one_of(st.none(), st.integers(0, 10**6)),
    chosen=options,
)
@thorough
def test_damaged_files(kind, changes, cut, chosen):
    content = bytearray(FILES[kind])
    for at, byte in changes:
        content[at % len(content)] = byte
    if cut is not None:
        del content[cut % len(content) :]
    attempt(bytes(content), None, chosen)


@pytest.mark.parametrize("kind", ["parquet", "feather", "arrow"])
def test_offsets_that_point_outside(kind):
    chosen = {
        "categorical": "onehot",
        "missing": "zero",
        "label": "y",
        "n_features": None,
        "on_bad_rows": "error",
    }
    for at in range(0, len(FILES[kind]), 5):
        content = bytearray(FILES[kind])
        content[at] = 255
        attempt(bytes(content), None, chosen)
