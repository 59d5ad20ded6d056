"""The encoding of a table: against plain Python, in any chunking, with columns in any order."""

import datetime
import io
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from aucmax.io import DataError, TableEncoder, read, stream
from aucmax.io.columns.encoding import ColumnEncoding, TableEncoding
from aucmax.io.columns.errors import TableWarning
from oracles import table_encoding as oracle

TYPES = {
    "number": pa.float64(),
    "text": pa.string(),
    "date": pa.date32(),
    "moment": pa.timestamp("us"),
    "clock": pa.time64("us"),
}
VALUES = {
    "number": st.floats(-1e6, 1e6, width=32),
    "text": st.sampled_from(["Oslo", "Rome", " Oslo ", "a=b", "é", "x", "rare 1", "rare 2"]),
    "date": st.dates(datetime.date(1960, 1, 1), datetime.date(2060, 1, 1))
    | st.sampled_from([datetime.date(2024, 2, 29), datetime.date(2023, 5, 1)]),
    "moment": st.datetimes(datetime.datetime(1960, 1, 1), datetime.datetime(2060, 1, 1))
    | st.sampled_from([datetime.datetime(2024, 2, 29, hour) for hour in (0, 1, 13, 23)]),
    "clock": st.times() | st.sampled_from([datetime.time(hour, 59, 59, 999_999) for hour in (0, 9, 23)]),
}
KINDS = {"moment": "date", "clock": "date"}  # to the oracle


@st.composite
def tables(draw):
    """Columns by name: the kind, and values or None."""
    n_rows = draw(st.integers(1, 60))
    kinds = draw(st.lists(st.sampled_from(list(VALUES)), min_size=1, max_size=4))
    found = {}
    for k, kind in enumerate(kinds):
        values = st.none() | VALUES[kind] if draw(st.booleans()) else VALUES[kind]
        found[f"{kind} {k}"] = (kind, draw(st.lists(values, min_size=n_rows, max_size=n_rows)))
    return found


def as_parquet(columns, names=None):
    arrays = {name: pa.array(columns[name][1], TYPES[columns[name][0]]) for name in names or columns}
    file = io.BytesIO()
    pa.parquet.write_table(pa.table(arrays), file)
    file.seek(0)
    return file


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


@settings(max_examples=150, deadline=None)
@given(columns=tables(), batch_size=st.integers(1, 70), order=st.randoms())
def test_any_table_in_any_chunking_with_columns_in_any_order(columns, batch_size, order):
    table = read(as_parquet(columns), categorical="auto", missing="auto")
    rules = oracle.learn({name: (KINDS.get(kind, kind), values) for name, (kind, values) in columns.items()})
    n_rows = len(next(iter(columns.values()))[1])
    rows = [{name: values[k] for name, (_, values) in columns.items()} for k in range(n_rows)]
    expected = [oracle.encode(rules, row) for row in rows]
    assert sorted(table.feature_names) == sorted(expected[0])
    wanted = np.array([[row[name] for name in table.feature_names] for row in expected])
    np.testing.assert_allclose(dense(table.X), wanted, rtol=1e-12, atol=1e-9)
    names = list(columns)
    order.shuffle(names)
    parts = stream(as_parquet(columns, names), batch_size, encoding=table.encoding)
    np.testing.assert_array_equal(np.vstack([dense(part.X) for part in parts]), dense(table.X))
    again = TableEncoding.from_dict(table.encoding.to_dict())
    assert again == table.encoding
    frame = pa.table({name: pa.array(columns[name][1], TYPES[columns[name][0]]) for name in names})
    np.testing.assert_array_equal(dense(TableEncoder.of(again).transform(frame)), dense(table.X))


@settings(max_examples=60, deadline=None)
@given(columns=tables(), one=st.integers(1, 70), other=st.integers(1, 70))
def test_a_stream_is_the_same_in_any_chunking_but_for_the_running_means(columns, one, other):
    complete = {
        name: (kind, [v for v in values if v is not None]) for name, (kind, values) in columns.items()
    }
    shortest = min(len(values) for _, values in complete.values())
    if not shortest:
        return
    complete = {name: (kind, values[:shortest]) for name, (kind, values) in complete.items()}
    options = {"categorical": "auto", "missing": "auto", "n_features": 300}
    if not any(kind == "text" for kind, _ in complete.values()):
        options["n_features"] = None
    found = [list(stream(as_parquet(complete), size, **options)) for size in (one, other)]
    matrices = [np.vstack([dense(part.X) for part in parts]) for parts in found]
    np.testing.assert_array_equal(*matrices)
    fills = [[column.fill for column in parts[-1].encoding.columns] for parts in found]
    np.testing.assert_allclose(*fills, rtol=1e-12, atol=1e-9)


FRAME = pd.DataFrame(
    {
        "customer": np.arange(1000, 1060),
        "age": [30.0, np.nan, 50.0] * 20,
        "city": ["Oslo", "Rome", "Oslo", "Rome", "Bonn", None] * 10,
        "zip": ["01067", "80331", "10115"] * 20,
        "joined": pd.date_range("2023-01-01", periods=60, freq="W"),
        "y": [0, 1] * 30,
    }
)


def table(**options):
    file = io.BytesIO()
    FRAME.to_parquet(file)
    file.seek(0)
    return read(file, "y", **{"categorical": "auto", "missing": "auto"} | options)


def names(found):
    return [column.name for column in found.encoding.columns]


def test_columns_by_choice():
    assert names(table()) == ["customer", "age", "joined", "city", "zip"]
    assert names(table(drop=["customer", "joined"])) == ["age", "city", "zip"]
    assert names(table(drop=["customer, joined,zip"])) == ["age", "city"]
    assert names(table(drop=[0, -2])) == ["age", "city", "zip"]
    assert names(table(columns=["zip", "age"])) == ["age", "zip"]
    found = table(id="customer", numeric_columns=["zip"])
    assert names(found) == ["age", "zip", "joined", "city"]
    assert found.ids.to_pylist() == FRAME["customer"].tolist()
    np.testing.assert_array_equal(dense(found.X)[:3, 1], [1067, 80331, 10115])
    found = table(categorical_columns=["age"], columns=["age"])
    assert found.feature_names == ["age=30", "age=50", "age is missing"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            {"drop": ["agee"]},
            r"no column 'agee' \(did you mean 'age'\?\), only .*; give one of these as drop",
        ),
        ({"drop": ["y"]}, "'y' is the label or the ID, which is no feature; change drop"),
        ({"drop": ["age"], "columns": ["age"]}, "'age' is to be dropped and used; change drop"),
        ({"columns": []}, "columns must be a list of names or numbers of columns or None; got"),
        ({"columns": "age"}, "columns must be a list of names"),
        ({"columns": [99]}, "it has no column 99"),
        ({"columns": ["customer", "y"]}, "'y' is the label or the ID, and so no feature"),
        ({"id": "y"}, "'y' is the label, so it names no rows; give another id"),
        ({"id": 1.5}, "id must be the name or number of a column"),
        ({"id": "nobody"}, "no column 'nobody'"),
        ({"categorical_columns": ["zip"], "numeric_columns": ["zip"]}, "'zip' is to be text and numbers"),
        ({"categorical_columns": ["zip"], "columns": ["age"]}, "'zip' is none of the columns to use"),
        ({"categorical_columns": [True]}, "categorical_columns must be a list of names"),
        ({"numeric_columns": ["city"]}, "row 1: a text in column 'city' that is not a number"),
        ({"numeric_columns": [None]}, "numeric_columns must be a list of names"),
        ({"drop": [0, 1, 2, 3, 4]}, "it has no feature columns"),
        ({"check_columns": 1}, "check_columns must be True or False"),
        ({"encoding": {}}, "encoding must be the encoding of a table"),
        ({"missing": "error", "drop": [0]}, "row 2: a missing value in column 'age'"),
    ],
)
def test_choices_that_cannot_be_made(options, complaint):
    with pytest.raises(ValueError, match=complaint):
        table(**options)


def test_columns_that_no_model_can_use_are_left_out_and_named():
    frame = FRAME.assign(shop="north", note=[f"note {k}" for k in range(60)], told=FRAME["y"] * 2.0)
    encoder = TableEncoder()
    with pytest.warns(TableWarning) as caught:
        encoder.fit(frame.drop(columns="y"), frame["y"])
    assert [column.name for column in encoder.encoding_.columns] == ["age", "told", "joined", "city", "zip"]
    assert encoder.encoding_.id == "customer"
    left_out, constant, leak = [str(warning.message) for warning in caught]
    assert "left out 'customer' (an identifier" in left_out
    assert "'note' (nearly every row has another text); to use an identifier" in left_out
    assert constant == "columns: left out 'shop' (constant)."
    assert left_out.endswith("name it in categorical_columns, or numeric_columns for a number.")
    assert leak.startswith("columns: used 'told' (AUC 1.0000), which alone ranks the labels nearly perfectly")
    assert leak.endswith("; leave it out with drop if it is not known when a score is needed.")
    with pytest.warns(TableWarning) as caught:
        asked = TableEncoder(columns=["customer", "note", "shop", "told"]).fit(frame, frame["y"])
    equal, leak = [str(warning.message) for warning in caught]
    assert leak.startswith("columns: used 'told'")
    assert equal.startswith(
        "columns: no text of 'note' occurs in 10 rows, so all rows have the same feature; it"
    )
    assert [column.name for column in asked.encoding_.columns] == ["customer", "told", "note", "shop"]


def test_free_text_is_told_from_identifiers():
    words = ["late", "van", "broken", "box", "rude", "driver", "paid", "twice"]
    rng = np.random.default_rng(0)
    review = [" ".join(rng.choice(words, 5)) for _ in range(60)]
    with pytest.warns(TableWarning) as caught:
        encoder = TableEncoder().fit(
            FRAME.assign(customer=review, title=[*review[:30]] * 2).drop(columns="y")
        )
    (message,) = [str(warning.message) for warning in caught]
    assert message.startswith("columns: left out 'customer' (free text), 'title' (free text); to make")
    assert "TfidfVectorizer before AUCClassifierCV, as docs/text.md shows" in message
    assert encoder.encoding_.id is None  # a review names no row


def test_the_first_of_several_equal_columns_stays():
    rng = np.random.default_rng(0)
    gaps = np.where(rng.random(3000) < 0.1, np.nan, rng.normal(size=3000))
    changed = gaps.copy()
    changed[2000] = 9.0
    rare = (np.arange(3000) % 300 == 0) * 1.0
    frame = pd.DataFrame({"age": gaps, "other": changed, "age2": gaps, "rare": rare, "rare2": rare})
    frame["city"] = frame["town"] = rng.choice(["Oslo", "Rome"], 3000)
    with pytest.warns(TableWarning) as caught:
        encoder = TableEncoder().fit(frame)
    (message,) = [str(warning.message) for warning in caught]
    assert message == "columns: left out 'age2' (a copy of 'age'), 'town' (a copy of 'city')."
    kept = ["age", "other", "rare", "rare2", "city"]
    assert encoder.feature_names_in_.tolist() == kept
    np.testing.assert_array_equal(
        encoder.transform(frame).toarray(), encoder.transform(frame[kept]).toarray()
    )
    asked = TableEncoder(numeric_columns=["age2"], categorical_columns=["town"]).fit(frame)
    assert len(asked.feature_names_in_) == 7


def test_measured_whole_numbers_are_no_identifiers():
    rng = np.random.default_rng(0)
    for n_rows in (30, 500, 5000):
        frame = pd.DataFrame(
            {
                "income": np.exp(rng.normal(10, 0.5, n_rows)).round(),
                "balance": rng.integers(0, 10_000_000, n_rows),
                "age": rng.integers(18, 90, n_rows),
                "flag": rng.integers(0, 2, n_rows),
                "paid": rng.integers(0, 100_000_000, n_rows),
            }
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert len(TableEncoder().fit(frame).encoding_.columns) == 5
        for name, values in {
            "row": np.arange(n_rows),
            "case": rng.permutation(4 * n_rows)[:n_rows],
            "customerId": rng.choice(10**9, n_rows, replace=False),
            "Vertragsnummer": rng.choice(10**9, n_rows, replace=False),
        }.items():
            if name == "case" and n_rows == 30:
                continue  # too few to tell
            with pytest.warns(TableWarning, match=f"left out '{name}'"):
                TableEncoder().fit(frame.assign(**{name: values}))


def test_values_unknown_to_training_are_counted():
    train = table(drop=["customer", "joined"])
    assert train.encoding.of_kind("text")[0].pooled == ()
    new = pd.DataFrame({"age": 1.0, "city": ["Oslo", "Kiel", "Kiel", "Ulm", None], "zip": "01067"})
    with pytest.warns(TableWarning, match=r"3 rows of column 'city' \('Kiel', 'Ulm'\); they are scored"):
        X = dense(TableEncoder.of(train.encoding).transform(new))
    place = train.feature_names.index("city=Oslo")
    np.testing.assert_array_equal(X[:, place], [1, 0, 0, 0, 0])
    with pytest.warns(TableWarning, match="values that the training data do not have: 3 rows"):
        list(stream(io.BytesIO(new.to_csv(index=False).encode()), 2, encoding=train.encoding, format="csv"))


def test_tables_without_names_are_read_by_place():
    train = read(io.BytesIO(b"1,a,0\n2,b,1\n3,a,0\n"), 2, categorical="onehot", missing="auto", format="csv")
    assert train.feature_names == ["column 1", "column 2=a", "column 2=b"]
    for text in (b"5,b\n,a\n", b"5,b,1\n,a,0\n"):
        found = read(io.BytesIO(text), encoding=train.encoding, format="csv", header=False)
        np.testing.assert_array_equal(found.X.toarray(), [[5, 0, 1], [2, 1, 0]])
    with pytest.raises(DataError, match="it has 4 columns where 3 are expected"):
        read(io.BytesIO(b"5,b,1,1\n"), encoding=train.encoding, format="csv")


def test_kinds_are_those_of_training():
    columns = (
        ColumnEncoding("a", "number"),
        ColumnEncoding("d", "date"),
        ColumnEncoding("t", "text", levels=("1",)),
    )
    encoding = TableEncoding(columns, fills_missing=True)
    good = pd.DataFrame({"a": [1, 2], "d": ["2000-01-03", None], "t": [1, 2]})
    with pytest.warns(TableWarning, match="1 row of column 't'"):
        X = dense(TableEncoder.of(encoding).transform(good))
    np.testing.assert_array_equal(X, [[1, 2, 1], [2, 0, 0]])
    for change, complaint in (
        ({"a": pd.to_datetime(["2000-01-01"] * 2)}, "date in the column 'a', which has numbers"),
        ({"a": "x"}, "text in the column 'a', which has numbers in the training data"),
        ({"d": [3.0, 4.0]}, "row 0: a value in column 'd' that is not a date"),
        ({"d": "tomorrow"}, "row 0: a value in column 'd' that is not a date"),
        ({"t": [{}, {}]}, "column 't' has the type struct<>, but texts in the training data"),
    ):
        with pytest.raises(DataError, match=complaint):
            TableEncoder.of(encoding).transform(good.assign(**change))


def test_encodings_of_later_versions_are_refused():
    known = TableEncoding((ColumnEncoding("a", "number"),)).to_dict()
    for change in ({"colour": 1}, {"columns": [{"name": "a", "kind": "image"}]}, {"columns": [{"pitch": 1}]}):
        with pytest.raises(DataError, match="which this version does not know; install a newer aucmax"):
            TableEncoding.from_dict(known | change)
