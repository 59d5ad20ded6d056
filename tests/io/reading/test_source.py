"""Inputs: paths, compression, standard input, URLs, formats; failures raise one clear DataError."""

import bz2
import gzip
import http.server
import io
import lzma
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from aucmax.io import DataError, read, stream
from aucmax.io.reading.source import open_source
from aucmax.validation.optional import import_optional

SVM = b"+1 1:0.5 3:2\n-1 2:1\n" * 50
CSV = b"a,b,y\n1,2,0\n3,4,1\n" + b"5,6,0\n" * 50


def compress_zstd(content):
    return pa.compress(content, "zstd", asbytes=True)


PACKERS = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": compress_zstd,
}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(
    ("name", "content"), [("x.svm", SVM), ("x.libsvm", SVM), ("x.csv", CSV), ("x", SVM), ("y", CSV)]
)
def test_compression_and_formats(tmp_path, packer, name, content):
    path = tmp_path / (name + packer)
    path.write_bytes(PACKERS[packer](content))
    hidden = tmp_path / "no_extension"
    hidden.write_bytes(PACKERS[packer](content))
    expected = read(io.BytesIO(content))
    for table in (read(path), read(str(path)), read(hidden)):
        np.testing.assert_array_equal(_dense(table.X), _dense(expected.X))
    found = list(stream(path, 7))
    np.testing.assert_array_equal(np.vstack([_dense(chunk.X) for chunk in found]), _dense(expected.X))
    rest = list(stream(path, 7, start=found[2].position))
    np.testing.assert_array_equal(_dense(rest[0].X), _dense(found[3].X))
    assert len(rest) == len(found) - 3


def _dense(X):
    return X if isinstance(X, np.ndarray) else X.toarray()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"+1 1:2\n", "libsvm"),
        (b"# c\n\n1 qid:2 1:2\n", "libsvm"),
        (b"1:2 3:4\n", "libsvm"),
        (b"-1\n", "libsvm"),
        (b"a,b\n1,2\n", "csv"),
        (b"a;b\n1;2\n", "csv"),
        (b"a\tb\n1\t2\n", "tsv"),
        (b"PAR1rest", "parquet"),
        (b"ARROW1rest", "arrow"),
    ],
)
def test_formats_are_recognised_by_the_content(content, kind):
    with open_source(io.BytesIO(content)) as source:
        assert source.format.name == kind


def test_the_format_given_wins(tmp_path):
    path = tmp_path / "x.svm"
    path.write_bytes(CSV)
    assert read(path, "y", format="csv").X.shape == (52, 2)
    with pytest.raises(ValueError, match="format must be one of libsvm, csv"):
        read(path, format="xml")


@pytest.mark.parametrize("packer", PACKERS)
def test_standard_input(monkeypatch, packer):
    class Terminal:
        buffer = io.BufferedReader(io.BytesIO(PACKERS[packer](SVM)))

    monkeypatch.setattr(sys, "stdin", Terminal)
    chunks = list(stream("-", 30, n_features=4))
    assert [chunk.X.shape for chunk in chunks] == [(30, 4)] * 3 + [(10, 4)]
    Terminal.buffer = io.BufferedReader(io.BytesIO(PACKERS[packer](SVM)))
    rest = list(stream("-", 30, start=chunks[1].position))
    np.testing.assert_array_equal(rest[0].X.toarray(), chunks[2].X.toarray())


def test_a_pipe_is_read_as_it_comes():
    code = "import aucmax.io as io; print(next(io.stream('-', 2, n_features=3)).y, flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdin.write(SVM[:60])  # a few rows and no end of file
        child.stdin.flush()
        assert child.stdout.readline() == b"[ 1. -1.]\n"


def test_urls(tmp_path):
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(CSV))
    assert read(f"file://{path}", "y").X.shape == (52, 2)
    svm = tmp_path / "x.svm"
    svm.write_bytes(SVM)
    assert len(list(stream(f"file://{svm}", 10))) == 10
    with pytest.raises(DataError, match="cannot be opened"):
        read("nonsense://x.csv")
    with pytest.raises(DataError, match="cannot be read"):
        read(f"file://{tmp_path}/absent.csv")


def test_missing_packages_are_named():
    with pytest.raises(
        ImportError, match=r'Reading x needs the package absent_package; run: pip install "aucmax'
    ):
        import_optional("absent_package.part", "Reading x")


@pytest.mark.parametrize("path", ["absent.csv", "", "a\0b", "."])
def test_paths_that_cannot_be_read(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    problem = "cannot be|it is a folder without data files"
    with pytest.raises(DataError, match=problem):
        read(path)
    with pytest.raises(DataError, match=problem):
        next(stream(Path(path), 5))


def test_things_that_are_no_path():
    with pytest.raises(TypeError, match="path must be a string"):
        read(3)


@pytest.mark.parametrize("packer", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("keep", [10, -5])
def test_damaged_archives(tmp_path, packer, keep):
    path = tmp_path / f"x.svm{packer}"
    path.write_bytes(PACKERS[packer](SVM)[:keep])
    with pytest.raises(DataError, match="check the path and that the file is complete"):
        read(path)
    with pytest.raises(DataError, match="check the path and that the file is complete"):
        list(stream(path, 10, n_features=3))


def test_unrecognised_formats():
    with pytest.raises(DataError, match="it is empty"):
        read(io.BytesIO(b" \n\n"))
    for content in (b"once upon a time\n", b'[{"age": 1, "bought": "yes"}]\n', b"<p>a, b</p>\n"):
        with pytest.raises(DataError, match="format is not recognised; give format as one of libsvm, csv"):
            read(io.BytesIO(content))


def test_positions_to_resume_from(tmp_path):
    path = tmp_path / "x.svm"
    path.write_bytes(SVM)
    chunk = next(stream(path, 80))
    path.write_bytes(SVM[:100])
    with pytest.raises(DataError, match="ends before the position to resume from"):
        next(stream(path, 80, start=chunk.position))
    for start in (5, {"byte": 7}, "0"):
        with pytest.raises(ValueError, match="start must be 0 or the position of a chunk"):
            next(stream(path, 80, start=start))


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("n_features", 0),
        ("categorical", "ordinal"),
        ("missing", "median"),
        ("on_bad_rows", "ignore"),
        ("label", 1.5),
        ("label", True),
        ("batch_size", 0),
    ],
)
def test_options_out_of_range(option, value):
    with pytest.raises(ValueError, match=f"{option} must be .*; got"):
        stream(io.BytesIO(SVM), **{option: value})


MEMORY = """
import resource, sys
from aucmax.io import stream

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

rows, after = 0, []
for chunk in stream(sys.argv[1], 10_000, n_features=30 if sys.argv[1].endswith("svm") else None):
    rows += chunk.X.shape[0]
    after.append(peak())
print(rows, after[-1] - after[4])
"""


@pytest.mark.parametrize("kind", ["svm", "csv"])
def test_streams_take_fixed_memory(tmp_path, kind):
    rng = np.random.default_rng(0)
    values = rng.random((10_000, 20))
    if kind == "svm":
        rows = [
            f"{k % 2} " + " ".join(f"{j + 1}:{v:.6f}" for j, v in enumerate(row))
            for k, row in enumerate(values)
        ]
    else:
        rows = [",".join(f"{v:.6f}" for v in row) for row in values]
    block = "\n".join(rows) + "\n"
    repeats = 50_000_000 // len(block)
    path = tmp_path / f"large.{kind}"
    with path.open("w") as file:
        for _ in range(repeats):
            file.write(block)
    done = subprocess.run(
        [sys.executable, "-c", MEMORY, str(path)], capture_output=True, text=True, check=True
    )
    n_rows, growth = done.stdout.split()
    assert int(n_rows) == 10_000 * repeats
    assert float(growth) < 10  # MB, of a file of 50


class Server(http.server.ThreadingHTTPServer):
    """Serves contents by their paths on this machine."""

    daemon_threads = True

    def __init__(self, contents):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                content = contents.get(self.path)
                if content is None:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(content) + (1000 if "short" in self.path else 0)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def url(self, path):
        return f"http://127.0.0.1:{self.server_port}{path}"


def test_web_addresses(tmp_path):
    frame = pa.table({"a": [1.0, 2.0], "y": [0, 1]})
    pa.parquet.write_table(frame, tmp_path / "x.parquet")
    contents = {
        "/x.csv?version=2": CSV,
        "/x.svm": SVM,
        "/x.csv.gz": gzip.compress(CSV),
        "/x.parquet": (tmp_path / "x.parquet").read_bytes(),
        "/short.csv": CSV,
    }
    with Server(contents) as server:
        for path in ("/x.csv?version=2", "/x.csv.gz"):
            assert read(server.url(path), "y").X.shape == (52, 2)
        assert read(server.url("/x.parquet"), "y").X.tolist() == [[1], [2]]
        chunks = list(stream(server.url("/x.svm"), 30))  # read twice
        assert [chunk.X.shape for chunk in chunks] == [(30, 3)] * 3 + [(10, 3)]
        rest = stream(server.url("/x.svm"), 30, start=chunks[1].position)
        np.testing.assert_array_equal(next(rest).X.toarray(), chunks[2].X.toarray())
        parts = [server.url("/x.csv?version=2"), server.url("/x.csv.gz")]
        assert read(parts, "y").X.shape == (104, 2)
        with pytest.raises(DataError, match=r"absent: cannot be read \(HTTP Error 404: Not Found\)"):
            read(server.url("/absent"))
        with pytest.raises(DataError, match=r"the connection ended 1,000 bytes too early"):
            read(server.url("/short.csv"), "y")
        server.shutdown()
    with pytest.raises(DataError, match="cannot be read .*refused"):
        read(server.url("/x.csv"))
    with pytest.raises(DataError, match="cannot be opened"):
        read("http://[::1")


def test_zstandard_in_several_frames(tmp_path):
    packed = pa.compress(CSV[:60], "zstd", asbytes=True) + pa.compress(CSV[60:], "zstd", asbytes=True)
    (tmp_path / "x.csv").write_bytes(packed)
    assert read(tmp_path / "x.csv", "y").X.shape == (52, 2)
    assert read(tmp_path / "x.csv", "y", format="csv").X.shape == (52, 2)
