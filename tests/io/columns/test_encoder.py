"""The same table from CSV, TSV, Parquet and Arrow; encoding of text and filling of missing values."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from scipy import sparse

from aucmax.io import DataError, read, stream

TABLE = pa.table(
    {
        "age": [31, 28, 45, 52, 19],
        "member": [True, False, True, False, True],
        "rate": [0.25, 1e-3, -2.5, 1e20, 3.0],
        "bought": ["yes", "no", "no", "yes", "no"],
    }
)
NUMBERS = [[31, 1, 0.25], [28, 0, 1e-3], [45, 1, -2.5], [52, 0, 1e20], [19, 1, 3.0]]


def as_csv(table, delimiter=",", end="\n"):
    rows = [table.column_names, *zip(*(column.to_pylist() for column in table.columns), strict=True)]
    return "".join(delimiter.join("" if v is None else str(v) for v in row) + end for row in rows).encode()


def write(table, path, **options):
    if path.suffix == ".parquet":
        pa.parquet.write_table(table, path, row_group_size=2, **options)
    elif path.suffix == ".feather":
        pa.feather.write_feather(table, path, chunksize=2)
    elif path.suffix == ".arrow":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table, max_chunksize=2)
    else:
        path.write_bytes(as_csv(table, "\t" if path.suffix == ".tsv" else ","))
    return path


@pytest.fixture(params=["csv", "tsv", "parquet", "feather", "arrow"])
def put(request, tmp_path):
    """Writes a table in one of the formats."""
    return lambda table: write(table, tmp_path / f"table.{request.param}")


def text(content, label=None, **options):
    return read(io.BytesIO(content), label, format="csv", **options)


def test_numbers_booleans_and_labels(put):
    X, y, names, skipped, zero_based, encoding, ids, _ = read(put(TABLE), "bought")
    np.testing.assert_array_equal(X, NUMBERS)
    assert X.flags.c_contiguous
    assert y.tolist() == ["yes", "no", "no", "yes", "no"]
    assert (names, skipped, zero_based, ids) == (["age", "member", "rate"], 0, None, None)
    assert [(column.name, column.kind) for column in encoding.columns] == [
        ("age", "number"),
        ("member", "number"),
        ("rate", "number"),
    ]


@pytest.mark.parametrize("label", [3, -1, "3", "-1"])
def test_label_by_number(put, label):
    assert read(put(TABLE), label).y.tolist() == TABLE["bought"].to_pylist()


def test_no_labels(put):
    X, y, *_ = read(put(TABLE.drop_columns("bought")))
    assert X.shape == (5, 3)
    assert y is None


def test_a_label_column_that_does_not_exist(put):
    with pytest.raises(
        DataError,
        match="no column 'sold', only 'age', 'member', 'rate', 'bought'; give one of these as label",
    ):
        read(put(TABLE), "sold")


@pytest.mark.parametrize("batch_size", [1, 2, 3, 100])
def test_chunks_and_resuming(put, batch_size):
    holes = TABLE.set_column(0, "age", pa.array([31, None, 45, None, 19]))
    holes = holes.append_column("city", pa.array(["a", "b", None, "b", "c"]))
    path = put(holes)
    options = {"label": "bought", "missing": "mean", "categorical": "hash", "n_features": 10}
    found = list(stream(path, batch_size, **options))
    assert [chunk.X.shape[0] for chunk in found[:-1]] == [batch_size] * (len(found) - 1)
    assert sum(chunk.X.shape[0] for chunk in found) == 5
    for k, chunk in enumerate(found):
        rest = list(stream(path, batch_size, start=json.loads(json.dumps(chunk.position)), **options))
        assert [other.position for other in rest] == [other.position for other in found[k + 1 :]]
        for one, other in zip(found[k + 1 :], rest, strict=True):
            np.testing.assert_array_equal(one.X.toarray(), other.X.toarray())
            np.testing.assert_array_equal(one.y, other.y)


def test_text_is_refused_by_name(put):
    with pytest.raises(
        DataError, match="text in the column 'bought'; .*onehot.*; if a .* name it with label"
    ):
        read(put(TABLE))
    with pytest.raises(DataError, match="text in the column 'bought'; .*hash"):
        next(stream(put(TABLE)))
    with pytest.raises(DataError, match='needs all values .*; give categorical="hash", or leave out stream'):
        next(stream(put(TABLE), categorical="onehot"))


def test_one_column_for_each_value(put):
    X, _, names, *_ = read(put(TABLE), categorical="onehot")
    assert names == ["age", "member", "rate", "bought=no", "bought=yes"]
    assert sparse.issparse(X)
    np.testing.assert_array_equal(X.toarray()[:, :3], NUMBERS)
    np.testing.assert_array_equal(X.toarray()[:, 3:], [[0, 1], [1, 0], [1, 0], [0, 1], [1, 0]])


def test_hashed_text(put):
    X, _, names, *_ = read(put(TABLE), categorical="hash", n_features=35)
    assert X.shape == (5, 35)
    assert names[:4] == ["age", "member", "rate", "hash_0"]
    dense = X.toarray()[:, 3:]
    np.testing.assert_array_equal(dense.sum(axis=1), 1)
    np.testing.assert_array_equal(dense[0], dense[3])
    assert read(put(TABLE), categorical="hash").X.shape == (5, 3 + 4096)
    with pytest.raises(DataError, match="3 features leave no column"):
        read(put(TABLE), categorical="hash", n_features=3)


def test_the_features_of_a_model(put):
    path = put(TABLE)
    X, y, names, *_ = read(path, "absent", features=["rate", "age"])
    np.testing.assert_array_equal(X, np.array(NUMBERS)[:, [2, 0]])
    assert y is None
    assert names == ["rate", "age"]
    wanted = ["bought=maybe", "age", "bought=yes"]
    for X in (
        read(path, features=wanted, categorical="onehot").X,
        next(stream(path, features=wanted, categorical="onehot")).X,
    ):
        np.testing.assert_array_equal(
            X.toarray(), [[0, 31, 1], [0, 28, 0], [0, 45, 0], [0, 52, 1], [0, 19, 0]]
        )
    hashed = read(path, categorical="hash", n_features=9)
    again = read(path, categorical="hash", features=hashed.feature_names)
    np.testing.assert_array_equal(again.X.toarray(), hashed.X.toarray())
    with pytest.raises(DataError, match="it has no column 'height', which the model needs"):
        read(path, features=["age", "height"])
    with pytest.raises(DataError, match="no column 'job', which the model needs for its feature 'job=clerk'"):
        read(path, features=["age", "job=clerk"], categorical="onehot")


def test_columns_unknown_to_a_model_that_hashes_text(put):
    table = TABLE.append_column("city", pa.array(list("abcab")))
    options = {"label": "bought", "categorical": "hash"}
    names = read(put(table.drop_columns(["member", "rate"])), **options).feature_names
    with pytest.raises(DataError, match="the training data had no column 'member' of numbers; remove"):
        read(put(table), features=names, **options)
    with pytest.raises(DataError, match="it has no text columns, which the model hashes"):
        read(put(table.select(["age", "bought"])), features=names, **options)


def test_text_and_numbers_are_those_of_the_model():
    codes = text(b"code,y\nA1,0\n22,1\n", "y", categorical="onehot")
    assert codes.feature_names == ["code=22", "code=A1"]
    options = {"features": codes.feature_names, "categorical": "onehot"}
    assert text(b"code\n22\n", **options).X.toarray().tolist() == [[1, 0]]
    with pytest.raises(DataError, match="text in the column 'age', which has numbers in the training data"):
        text(b"age\nold\nyoung\n", features=["age"])


def test_rows_to_score_need_no_labels():
    for label in (0, 2, "column 3"):
        unnamed = text(b"3,4\n5,6\n", label, n_features=2)
        assert (unnamed.X.tolist(), unnamed.y) == ([[3, 4], [5, 6]], None)
    named = text(b"a,b\n3,4\n", 0, features=["b", "a"])
    assert (named.X.tolist(), named.y) == ([[4, 3]], None)
    hashed = text(b"a,t\n3,x\n", 0, n_features=2, categorical="hash")
    assert hashed.y.tolist() == [3]


def test_widths(put):
    assert read(put(TABLE), "bought", n_features=3).X.shape == (5, 3)
    with pytest.raises(DataError, match="3 features where 4 are expected"):
        read(put(TABLE), "bought", n_features=4)


def test_missing_values(put, request):
    holes = TABLE.set_column(2, "rate", pa.array([1.0, None, 3.0, None, 8.0]))
    path = put(holes)
    place = "row 2" if path.suffix in (".parquet", ".feather", ".arrow") else "line 3"
    with pytest.raises(DataError, match=f"{place}: a missing value in column 'rate'"):
        read(path, "bought")
    np.testing.assert_array_equal(read(path, "bought", missing="zero").X[:, 2], [1, 0, 3, 0, 8])
    np.testing.assert_array_equal(read(path, "bought", missing="mean").X[:, 2], [1, 4, 3, 4, 8])
    table = read(path, "bought", on_bad_rows="skip")
    np.testing.assert_array_equal(table.X[:, 2], [1, 3, 8])
    assert table.skipped == 2
    assert table.y.tolist() == ["yes", "no", "no"]
    running = [chunk.X[:, 2].tolist() for chunk in stream(path, 2, "bought", missing="mean")]
    assert running == [[1, 1], [3, 2], [8]]


def test_the_means_of_other_data(put):
    rates = pa.array([1.0, None, 3.0, None, 8.0])
    path = put(TABLE.set_column(2, "rate", rates))
    means = [40.0, 0.5, -1.0]
    options = {"label": "bought", "missing": "mean", "means": means}
    np.testing.assert_array_equal(read(path, **options).X[:, 2], [1, -1, 3, -1, 8])
    assert [chunk.X[:, 2].tolist() for chunk in stream(path, 2, **options)] == [[1, -1], [3, -1], [8]]
    turned = read(path, features=["rate", "age"], missing="mean", means=np.array([7.0, 40.0]))
    np.testing.assert_array_equal(turned.X[:, 0], [1, 7, 3, 7, 8])
    wide = read(path, missing="mean", means=[*means, 0.3, 0.7], categorical="onehot").X
    np.testing.assert_array_equal(wide.toarray()[:, 2], [1, -1, 3, -1, 8])
    with pytest.raises(DataError, match="3 features, but there are means for 2; give a table with the same"):
        read(path, **options | {"means": [1, 2]})
    for wrong in (["a"], [np.nan], 3.0, [[1.0]]):
        with pytest.raises(ValueError, match="means must be finite numbers, one for each feature"):
            read(path, **options | {"means": wrong})


def test_a_position_has_the_means(put):
    path = put(TABLE.set_column(2, "rate", pa.array([1.0, None, 3.0, None, 8.0])))
    for missing in ("mean", "zero"):
        *_, last = stream(path, 2, "bought", missing=missing)
        means = np.divide(last.position["sums"], last.position["counts"])
        np.testing.assert_allclose(means, [35, 0.6, 4])


def test_a_position_has_the_counts_of_texts(put):
    city = pa.array(["Rome", None, "Oslo", None, None])
    path = put(TABLE.append_column("home", city))
    options = {"label": "bought", "missing": "mean", "categorical": "hash"}
    whole = list(stream(path, 2, **options))
    *_, last = stream(path, 2, start=whole[1].position, **options)
    for chunk in (whole[-1], last):
        (home,) = (column for column in chunk.encoding.columns if column.name == "home")
        assert (home.n_missing, home.n_known) == (3, 2)


def test_none_is_the_beginning(put):
    """As the position of a checkpoint that was saved without one."""
    rows = [chunk.y.tolist() for chunk in stream(put(TABLE), 2, "bought", missing="mean", start=None)]
    assert rows == [chunk.y.tolist() for chunk in stream(put(TABLE), 2, "bought", missing="mean")]


def test_bad_rows_after_the_last_chunk_are_counted(put):
    late = TABLE.set_column(2, "rate", pa.array([1.0, None, 3.0, None, None]))
    rows = stream(put(late), 1, "bought", on_bad_rows="skip")
    assert [chunk.skipped for chunk in rows] == [0, 1]
    assert rows.skipped == 3
    assert next(rows, None) is None
    assert rows.skipped == 3
    *_, last = stream(put(late), 1, "bought", on_bad_rows="skip")
    resumed = stream(put(late), 1, "bought", on_bad_rows="skip", start=last.position)
    assert (list(resumed), resumed.skipped) == ([], 2)


def test_a_stream_can_be_closed(tmp_path):
    with write(TABLE, tmp_path / "table.csv").open("rb") as file:
        rows = stream(file, 1, "bought")
        next(rows)
        rows.close()
        assert list(rows) == []


def test_missing_text_and_labels(put):
    city = pa.array(["a", None, "b", "a", "b"])
    path = put(TABLE.append_column("city", city))
    with pytest.raises(DataError, match="a missing value in column 'city'"):
        read(path, "bought", categorical="onehot")
    X = read(path, "bought", categorical="onehot", missing="mean").X.toarray()
    np.testing.assert_array_equal(X[:, 3:], [[1, 0], [0, 0], [0, 1], [1, 0], [0, 1]])
    path = put(TABLE.append_column("city", city))
    with pytest.raises(DataError, match="no label in column 'city'"):
        read(path, "city", categorical="onehot")
    assert read(path, "city", categorical="onehot", on_bad_rows="skip").skipped == 1


def test_infinite_values_are_refused(put):
    path = put(TABLE.set_column(2, "rate", pa.array([1.0, np.inf, 3.0, 4.0, 8.0])))
    for missing in (None, "zero", "mean"):
        with pytest.raises(DataError, match="an infinite value in column 'rate'"):
            read(path, "bought", missing=missing)
    assert read(path, "bought", on_bad_rows="skip").skipped == 1


def test_a_column_without_values(put):
    path = put(TABLE.append_column("nothing", pa.nulls(5, pa.float64())))
    np.testing.assert_array_equal(read(path, "bought", missing="mean").X[:, 3], 0)


@pytest.mark.parametrize("name", ["table.parquet", "table.feather", "table.csv"])
def test_no_rows(tmp_path, name):
    with pytest.raises(DataError, match="no rows"):
        read(write(TABLE.slice(0, 0), tmp_path / name), "bought")
    with pytest.raises(DataError, match="no rows"):
        list(stream(write(TABLE.slice(0, 0), tmp_path / name), label="bought"))


def test_arrow_types(tmp_path):
    typed = pa.table(
        {
            "small": pa.array([1, 2], pa.int8()),
            "large": pa.array([2**63 + 1, 5], pa.uint64()),
            "half": pa.array([0.5, 1.5], pa.float16()),
            "exact": pa.array([1, 2]).cast(pa.decimal128(30, 2)),
            "coded": pa.array([7.0, 8.0]).dictionary_encode(),
            "word": pa.array(["a", "b"]).dictionary_encode(),
            "y": pa.array([3, 4], pa.int32()),
        }
    )
    path = write(typed, tmp_path / "table.parquet")
    table = read(path, "y", categorical="onehot")
    np.testing.assert_array_equal(table.X.toarray()[0], [1, 2.0**63, 0.5, 1, 7, 1, 0])
    assert table.y.tolist() == [3, 4]
    for label, labels in (("coded", [7, 8]), ("word", ["a", "b"]), ("half", [0.5, 1.5])):
        assert read(path, label, features=["small"]).y.tolist() == labels
    strange = write(typed.append_column("raw", pa.array([b"0", b"1"])), tmp_path / "s.parquet")
    with pytest.raises(DataError, match="column 'raw' has the type binary.*; leave the column out with drop"):
        read(strange, "y", categorical="onehot")
    assert read(strange, "y", features=["small"]).X.shape == (2, 1)


def test_durations_are_seconds(tmp_path):
    values = {unit: pa.array([90, None], pa.duration(unit)) for unit in ("s", "ms", "us", "ns")}
    table = read(write(pa.table(values), tmp_path / "table.parquet"), missing="zero")
    np.testing.assert_allclose(table.X, [[90, 0.09, 9e-5, 0], [0, 0, 0, 0]])  # to the microsecond


def test_the_same_name_twice(tmp_path):
    twice = pa.table([pa.array([1.0]), pa.array([2.0])], names=["a", "a"])
    for name in ("x.parquet", "x.csv"):
        with pytest.raises(DataError, match="two columns are called 'a'"):
            read(write(twice, tmp_path / name))


@pytest.mark.parametrize(
    ("header", "categorical"), [("a=b,a", "onehot"), ("t=x,t", "onehot"), ("hash_0,t", "hash")]
)
def test_two_features_with_the_same_name(header, categorical):
    row = {"a=b,a": "x,b=x", "t=x,t": "1,x", "hash_0,t": "1,x"}[header]
    with pytest.raises(DataError, match="two features would be called"):
        text(f"{header}\n{row}\n".encode(), categorical=categorical)


def test_a_label_that_is_not_finite_is_refused(tmp_path):
    table = pa.table({"a": [1.0, 2.0], "y": [0.0, float("inf")]})
    with pytest.raises(DataError, match="row 2: a label in column 'y' is not finite; correct it"):
        read(write(table, tmp_path / "table.parquet"), "y")
