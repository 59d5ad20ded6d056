"""Several files as one data set: the same rows as of one file; a file that differs is named."""

import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from aucmax.io import DataError, read, stream
from aucmax.io.reading.file_set import list_files

N = 60


def rows(kind, part, n_parts=3):
    """The content of one of several files, whose rows together are always the same."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(N, 3)).round(3), rng.random(N) < 0.4
    here = np.array_split(np.arange(N), n_parts)[part]
    if kind == "svm":
        lines = [
            f"{int(y[k])} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(X[k][: 2 + k % 2])) for k in here
        ]
        return ("\n".join(lines) + "\n").encode()
    words = ["u", "v"]
    if kind == "csv":
        lines = [",".join([*map(str, X[k].tolist()), words[k % 2], str(y[k])]) for k in here]
        return ("\n".join(["a,b,c,t,y", *lines]) + "\n").encode()
    names = ("a", "b", "c")
    columns = {name: X[here, j] for j, name in enumerate(names)}
    columns |= {"t": [words[k % 2] for k in here], "y": y[here]}
    file = io.BytesIO()
    write = {"parquet": pa.parquet.write_table, "feather": pa.feather.write_feather}[kind]
    write(pa.table(columns), file)
    return file.getvalue()


KINDS = ["svm", "csv", "parquet", "feather"]


@pytest.fixture(params=KINDS)
def folder(request, tmp_path):
    """A folder with three files of one kind, and a fourth with all their rows."""
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    for k in range(3):
        name = f"deep/part{k}" if k == 2 else f"part{k}"
        where = tmp_path / "parts" / f"{name}.{request.param}"
        where.write_bytes(rows(request.param, k))
    (tmp_path / "parts" / "_SUCCESS").write_bytes(b"")
    (tmp_path / "parts" / ".hidden.csv").write_bytes(b"nonsense")
    (tmp_path / "parts" / "notes.txt").write_bytes(b"not data")
    (tmp_path / f"whole.{request.param}").write_bytes(rows(request.param, 0, 1))
    return tmp_path


def options(folder):
    is_table = not list(folder.glob("whole.svm"))
    return {"label": "y", "categorical": "hash", "n_features": 10} if is_table else {}


def dense(X):
    return X if isinstance(X, np.ndarray) else X.toarray()


def in_order(folder):
    return sorted((folder / "parts").glob("part*")) + sorted((folder / "parts").glob("deep/*"))


def test_lists_folders_and_patterns_are_one_table(folder):
    whole = read(next(folder.glob("whole.*")), **options(folder))
    found = in_order(folder)
    for path in (found, list(map(str, found)), tuple(found)):
        table = read(path, **options(folder))
        np.testing.assert_array_equal(dense(table.X), dense(whole.X))
        np.testing.assert_array_equal(table.y, whole.y)
    for path in (folder / "parts", str(folder / "parts" / "**" / "part*"), [folder / "parts"]):
        table = read(path, **options(folder))
        assert table.X.shape == whole.X.shape
        assert sorted(map(tuple, dense(table.X))) == sorted(map(tuple, dense(whole.X)))


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_streams_go_on_in_the_next_file_and_resume_anywhere(folder, batch_size):
    whole = read(next(folder.glob("whole.*")), **options(folder))
    found = list(stream(in_order(folder), batch_size, **options(folder)))
    np.testing.assert_array_equal(np.vstack([dense(chunk.X) for chunk in found]), dense(whole.X))
    np.testing.assert_array_equal(np.concatenate([chunk.y for chunk in found]), whole.y)
    for k, chunk in enumerate(found):
        position = json.loads(json.dumps(chunk.position))
        rest = list(stream(in_order(folder), batch_size, start=position, **options(folder)))
        assert len(rest) == len(found) - k - 1
        for one, other in zip(rest, found[k + 1 :], strict=True):
            np.testing.assert_array_equal(dense(one.X), dense(other.X))
            np.testing.assert_array_equal(one.y, other.y)
            assert one.position == other.position


def test_one_hot_values_of_all_files(tmp_path):
    (tmp_path / "1.csv").write_text("t,y\nu,1\nv,0\n")
    (tmp_path / "2.csv").write_text("y,t\n1,w\n0,u\n")  # columns are found by name
    table = read(tmp_path, "y", categorical="onehot")
    assert table.feature_names == ["t=u", "t=v", "t=w"]
    np.testing.assert_array_equal(table.X.toarray(), [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert table.y.tolist() == [1, 0, 1, 0]


def test_the_first_file_decides_what_columns_are(tmp_path):
    (tmp_path / "1.csv").write_text("a,z,y\n1,00501,1\n2,10115,0\n")
    (tmp_path / "2.csv").write_text("a,z,y\n3,20095,1\n,33602,0\n")
    table = read(tmp_path, "y", categorical="onehot", missing="mean")
    assert table.feature_names == ["a", "z=00501", "z=10115", "z=20095", "z=33602"]
    assert table.X.toarray()[:, 0].tolist() == [1, 2, 3, 2]  # the mean is that of all files


@pytest.mark.parametrize("flags", [["", ""], ["0", "1"], ["true", "false"]])
def test_booleans_of_one_file_are_numbers_of_another(flags):
    first = "x,flag,y\n" + "".join(f"{k},{flag},{k}\n" for k, flag in enumerate(flags))
    second = "x,flag,y\n2,true,0\n3,false,1\n"
    X, *_ = read([io.BytesIO(first.encode()), io.BytesIO(second.encode())], label="y", missing="zero")
    expected = [value in ("1", "true") for value in flags] + [True, False]
    np.testing.assert_array_equal(X[:, 1], expected)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_files_that_differ_are_named(tmp_path, kind):
    def put(name, **columns):
        table = pa.table(columns)
        if kind == "parquet":
            pa.parquet.write_table(table, tmp_path / f"{name}.parquet")
        else:
            pa.csv.write_csv(table, tmp_path / f"{name}.csv")

    put("1", a=[1.5, 2.0], y=[0, 1])
    for columns, problem in (
        ({"b": [1.0], "y": [1]}, rf"2.{kind}: it has no column 'a', which .*1.{kind} has; give files with"),
        ({"a": [1.0], "b": [1.0], "y": [1]}, f"2.{kind}: it has a column 'b', which .*1.{kind} has not"),
    ):
        put("2", **columns)
        for consume in (read, lambda *given: list(stream(*given))):
            with pytest.raises(DataError, match=problem):
                consume(tmp_path, *([5] if consume is not read else []), "y")
    assert read(tmp_path, "y", features=["a"], on_bad_rows="skip").X.shape == (3, 1)  # others do not matter
    put("2", a=["x"], y=[1])
    problem = f"2.{kind}, line 2: 'x' in column 'a' is not a number"
    if kind == "parquet":
        problem = f"2.{kind}: column 'a' has the kind text, but number in .*1.{kind}; give files with"
    with pytest.raises(DataError, match=problem):
        read(tmp_path, "y")


def test_bad_rows_are_named_with_their_file(tmp_path):
    (tmp_path / "1.csv").write_text("a,y\n1,0\n2,1\n")
    (tmp_path / "2.csv").write_text("a,y\n3,0\n\ninf,1\n")
    with pytest.raises(DataError, match="2.csv, line 4: an infinite value in column 'a'"):
        read(tmp_path, "y")
    with pytest.raises(DataError, match="2.csv, line 4: an infinite value in column 'a'"):
        list(stream(tmp_path, 10, "y"))
    assert read(tmp_path, "y", on_bad_rows="skip").skipped == 1
    (tmp_path / "1.svm").write_text("1 1:1\n-1 2:1\n")
    (tmp_path / "2.svm").write_text("1 1:1\n\n-1 7:1\n")
    parts = [tmp_path / "1.svm", tmp_path / "2.svm"]
    with pytest.raises(DataError, match="2.svm, line 3: feature 7 is beyond the 2 features expected"):
        read(parts, n_features=2)
    assert read(parts).X.shape == (4, 7)
    assert [chunk.X.shape for chunk in stream(parts, 2)] == [(2, 7), (1, 7), (1, 7)]
    with pytest.raises(DataError, match=r"2\.svm: it is LIBSVM text, but .*1\.csv is CSV"):
        read([tmp_path / "1.csv", tmp_path / "2.svm"], "y")


def test_zip_archives(tmp_path):
    path = tmp_path / "data"  # recognised by its content
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(3):
            archive.writestr(f"year/part{k}.csv", rows("csv", k))
        archive.writestr("__MACOSX/._part0.csv", b"junk")
        archive.writestr("README.md", b"about")
    whole = read(io.BytesIO(rows("csv", 0, 1)), "y", categorical="onehot")
    table = read(path, "y", categorical="onehot")
    np.testing.assert_array_equal(table.X.toarray(), whole.X.toarray())
    chunks = list(stream(path, 7, "y", categorical="hash"))
    assert sum(len(chunk.y) for chunk in chunks) == N
    rest = list(stream(path, 7, "y", categorical="hash", start=chunks[4].position))
    np.testing.assert_array_equal(rest[0].X.toarray(), chunks[5].X.toarray())
    with pytest.raises(DataError, match="it is a zip archive of 3 files; save it and give its path"):
        read(io.BytesIO(path.read_bytes()), "y")
    content = path.read_bytes()
    path.write_bytes(content[:-30])
    with pytest.raises(DataError, match="data: cannot be unpacked"):
        read(path, "y")


@pytest.mark.parametrize("kind", KINDS)
def test_zip_archives_of_one_file(tmp_path, kind):
    with zipfile.ZipFile(tmp_path / "data.zip", "w") as archive:
        archive.writestr(f"rows.{kind}", rows(kind, 0, 1))
    chosen = {} if kind == "svm" else {"label": "y", "categorical": "onehot"}
    expected = read(io.BytesIO(rows(kind, 0, 1)), **chosen)
    for path in (tmp_path / "data.zip", io.BytesIO((tmp_path / "data.zip").read_bytes())):
        np.testing.assert_array_equal(dense(read(path, **chosen).X), dense(expected.X))


def test_zip_archives_that_are_no_data(tmp_path):
    for names, problem in (
        ([], "it is a zip archive without files"),
        (["xl/workbook.xml"], "it is a workbook of a spreadsheet; save the sheet as CSV"),
        (["__MACOSX/x"], "it is a zip archive without files"),
    ):
        with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
            for name in names:
                archive.writestr(name, b"")
        with pytest.raises(DataError, match=problem):
            read(tmp_path / "x.zip")


def test_nothing_there(tmp_path):
    with pytest.raises(DataError, match="it is a folder without data files; give the files themselves"):
        read(tmp_path)
    with pytest.raises(DataError, match=r"\*.csv: no file matches this pattern; check the path"):
        read(tmp_path / "*.csv")
    with pytest.raises(DataError, match="the list of files is empty"):
        read([])
    with pytest.raises(DataError, match="cannot be read"):
        read([tmp_path / "absent.csv"])


def test_names_that_look_like_patterns(tmp_path):
    (tmp_path / "a[1].csv").write_text("a,b\n1,2\n")
    assert list_files(tmp_path / "a[1].csv") == [tmp_path / "a[1].csv"]
    assert read(tmp_path / "a[1].csv").X.tolist() == [[1, 2]]
