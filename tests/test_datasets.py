"""Data sets by name: the folder first, then the download; the shape is checked."""

import bz2
import functools
import http.server
import lzma
import sys
import threading

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from aucmax import datasets
from aucmax.io import DataError


def content(tmp_path, n_rows, n_features):
    rng = np.random.default_rng(0)
    X, y = rng.random((n_rows, n_features)), rng.integers(1, 4, n_rows)
    path = tmp_path / "made.svm"
    dump_svmlight_file(X, y, str(path), zero_based=False)
    return path.read_bytes(), X, y


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "data"
    place.mkdir()
    monkeypatch.setenv("AUCMAX_DATA", str(place))
    return place


@pytest.fixture
def public_server(tmp_path, monkeypatch):
    """A web server in place of the public ones, and an empty cache."""
    public = tmp_path / "public"
    public.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=public))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/"
    monkeypatch.setattr(datasets, "LIBSVM", address)
    monkeypatch.setattr(datasets, "UCI", address)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.delenv("AUCMAX_DATA", raising=False)
    yield public
    server.shutdown()
    server.server_close()


def put(public, file, data):
    path = public / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_the_folder_comes_first(folder, tmp_path):
    data, X, y = content(tmp_path, 862, 2)
    (folder / "fourclass.svm.xz").write_bytes(lzma.compress(data))
    table = datasets.load("fourclass")
    np.testing.assert_allclose(table.X.toarray(), X)
    np.testing.assert_array_equal(table.y, y)
    (folder / "my_own.svm.xz").write_bytes(lzma.compress(data))
    assert datasets.load("my_own").X.shape == (862, 2)
    assert "my_own" in datasets.list()


def test_a_wrong_shape_is_refused(folder, tmp_path):
    (folder / "fourclass.svm.xz").write_bytes(lzma.compress(content(tmp_path, 861, 2)[0]))
    with pytest.raises(DataError, match="fourclass is 862 x 2 but .* holds 861 x 2; delete"):
        datasets.load("fourclass")
    (folder / "fourclass.svm.xz").write_bytes(lzma.compress(content(tmp_path, 862, 3)[0]))
    with pytest.raises(DataError, match="beyond the 2 features"):
        datasets.load("fourclass")


def test_the_test_part_has_the_width_of_the_training_part(folder, tmp_path):
    (folder / "svmguide3.t.svm.xz").write_bytes(lzma.compress(content(tmp_path, 41, 20)[0]))
    assert datasets.load("svmguide3.t").X.shape == (41, 22)


def test_unknown_names(folder):
    for name in ("absent", "../fourclass", "", "a\0b"):
        with pytest.raises(DataError, match="There is no data set"):
            datasets.load(name)


def test_download_once(public_server, tmp_path):
    data, X, y = content(tmp_path, 862, 2)
    put(public_server, "binary/fourclass", data)
    np.testing.assert_allclose(datasets.load("fourclass").X.toarray(), X)
    (public_server / "binary/fourclass").unlink()
    np.testing.assert_array_equal(datasets.load("fourclass").y, y)


def test_download_of_compressed_text_and_of_tables(public_server, tmp_path):
    put(public_server, "binary/leu.bz2", bz2.compress(content(tmp_path, 38, 7129)[0]))
    assert datasets.load("leu").X.shape == (38, 7129)
    rng = np.random.default_rng(0)
    rows = [[*map(repr, rng.random(34).tolist()), "gb"[k % 2]] for k in range(351)]
    put(public_server, "ionosphere/ionosphere.data", "".join(",".join(row) + "\n" for row in rows).encode())
    table = datasets.load("ionosphere")
    assert table.X.shape == (351, 34)
    assert table.y[:3].tolist() == [1, -1, 1]
    assert table.zero_based is False


def test_a_download_that_fails(public_server):
    with pytest.raises(DataError, match="cannot be downloaded .* AUCMAX_DATA"):
        datasets.load("fourclass")


def test_without_pooch(public_server, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(
        ImportError, match='Downloading fourclass needs the package pooch; run: pip install "aucmax'
    ):
        datasets.load("fourclass")


@pytest.mark.parametrize("name", ["a9a.t", "svmguide3", "dna.scale", "breast-cancer_scale"])
def test_the_real_ones(real, name):
    table = datasets.load(name)
    X, y = real(name, table.X.shape[1])
    assert (table.X != X).nnz == 0
    np.testing.assert_array_equal(table.y, y)
