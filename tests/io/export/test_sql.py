"""SQL gives the scores and probabilities of the model, in SQLite and in DuckDB."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import aucmax
from aucmax.io import DataError, load_model, to_sql
from aucmax.io.export.sql import _quoted, _text, select_statement

duckdb = pytest.importorskip("duckdb", reason="SQL is checked against DuckDB")


def by_sqlite(frame, expression, table="data"):
    with closing(sqlite3.connect(":memory:")) as connection:
        frame.to_sql(table, connection, index=False)
        found = connection.execute(f'SELECT {expression} FROM "{table}"').fetchall()
    return np.array([value for (value,) in found], dtype=float)


def by_duckdb(frame, expression, table="data"):
    with closing(duckdb.connect()) as connection:
        connection.register("registered", frame)
        connection.execute(f'CREATE TABLE "{table}" AS SELECT * FROM registered')
        return np.array(
            [value for (value,) in connection.execute(f'SELECT {expression} FROM "{table}"').fetchall()],
            dtype=float,
        )


DATABASES = pytest.mark.parametrize("query", [by_sqlite, by_duckdb])


def assert_close(found, expected):
    assert np.max(np.abs(found - expected)) <= 1e-9 * np.max(np.abs(expected))


@DATABASES
@pytest.mark.parametrize("table", [None, "data"])
def test_scores_and_probabilities(query, model, numbers, table):
    X, _ = numbers
    assert_close(query(X, to_sql(model, table=table)), model.decision_function(X))
    if hasattr(model, "calibration_"):
        far = pd.concat([X, X.iloc[:2] * np.array([[1e9], [-1e9]])])  # EXP would overflow
        found = query(far, to_sql(model, "probability", table=table))
        assert_close(found, model.predict_proba(far)[:, 1])


@DATABASES
def test_a_missing_value_gives_no_score(query, model, numbers):
    X = numbers[0].copy()
    X.iloc[1, 2] = np.nan
    outputs = ["score", "probability"] if hasattr(model, "calibration_") else ["score"]
    for output in outputs:
        found = query(X, to_sql(model, output))
        assert np.flatnonzero(np.isnan(found)).tolist() == [1]


@DATABASES
def test_text_and_gaps_of_a_table(query, table_model, mixed):
    assert_close(query(mixed, to_sql(table_model, table="data")), table_model.decision_function(mixed))
    padded = mixed.assign(city="  " + mixed["city"] + " ")
    assert_close(query(padded, to_sql(table_model)), table_model.decision_function(mixed))
    assert_close(query(mixed, to_sql(table_model, "probability")), table_model.predict_proba(mixed)[:, 1])


@DATABASES
def test_text_without_gaps_in_training(query, mixed, train):
    model = load_model(train("--categorical", "onehot", "--missing", "error", rows=mixed.dropna()))
    found = query(mixed, to_sql(model))
    gaps = mixed.drop(columns="state").isna().any(axis=1).to_numpy()
    np.testing.assert_array_equal(np.isnan(found), gaps)
    assert_close(found[~gaps], model.decision_function(mixed.dropna()))


@DATABASES
@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("missing", ["mean", "error"])
def test_booleans(query, mixed, train, gaps, missing):
    frame = mixed[["age", "state"]].fillna({"age": 50.0}).assign(member=mixed["age"] > 60)
    if gaps:
        frame["member"] = frame["member"].astype(object).mask(mixed.index % 7 == 0, None)
    trained_on = frame.dropna() if missing == "error" else frame
    model = load_model(train("--missing", missing, rows=trained_on.astype({"member": "boolean"})))
    known = frame["member"].notna().to_numpy() | (missing == "mean")
    for output in ("score", "probability"):
        found = query(frame, to_sql(model, output, table="data"))
        np.testing.assert_array_equal(~np.isnan(found), known)
        rows = frame[known].astype({"member": "boolean"})
        expected = model.decision_function(rows) if output == "score" else model.predict_proba(rows)[:, 1]
        assert_close(found[known], expected)


@DATABASES
def test_many_columns_and_extreme_weights(query):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(30, 1500)), columns=[f"c{k}" for k in range(1500)])
    model = aucmax.AUCClassifier(l2=1.0).fit(X, rng.random(30) < 0.5)
    model.coef_[0] = rng.normal(size=1500) * 10.0 ** rng.integers(-30, 30, 1500)
    model.coef_[0, :7] = 0.0
    assert '"c6"' not in to_sql(model)
    assert_close(query(X, to_sql(model)), model.decision_function(X))


def test_sqlite_notices_a_missing_column_if_the_table_is_named(model, numbers):
    X, _ = numbers
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        by_sqlite(X.drop(columns="age"), to_sql(model, table="data"))


@DATABASES
def test_names_of_columns_and_tables(query, numbers):
    X, y = numbers
    model = aucmax.AUCClassifier().fit(X.to_numpy(), y)
    expected = model.decision_function(X.to_numpy())
    assert_close(query(X, to_sql(model, columns=list(X.columns))), expected)
    renamed = to_sql(model, columns=list(X.columns), table="new rows")
    assert_close(query(X, renamed, table="new rows"), expected)
    with pytest.raises(DataError, match="fitted without names of columns; give them as columns"):
        to_sql(model)
    with pytest.raises(DataError, match="there are 2 columns, but the model has 6 features"):
        to_sql(model, columns=["a", "b"])


def test_statement(model, numbers):
    X, _ = numbers
    with closing(sqlite3.connect(":memory:")) as connection:
        X.to_sql("new rows", connection, index=False)
        found = pd.read_sql(select_statement(model, "new rows"), connection)
    outputs = ["score", "probability"] if hasattr(model, "calibration_") else ["score"]
    assert found.columns.tolist() == [*X.columns, *outputs]
    assert_close(found["score"], model.decision_function(X))


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(name=TEXT, level=TEXT)
def test_any_name_and_any_text(name, level):
    assume(name.lower() not in ("true", "false"))  # SQLite has no such columns in a subquery
    query = f"SELECT {_quoted(name)} = {_text(level)} FROM (SELECT ? AS {_quoted(name)}) AS t"
    with closing(sqlite3.connect(":memory:")) as lite, closing(duckdb.connect()) as duck:
        for database in (lite, duck):
            ((found,),) = database.execute(query, [level]).fetchall()
            assert found


def test_what_cannot_be_written(numbers, train, model):
    X, y = numbers
    pipeline = make_pipeline(StandardScaler(), aucmax.AUCClassifier()).fit(X, y)
    with pytest.raises(
        DataError, match="a Pipeline of StandardScaler, AUCClassifier cannot be written as SQL"
    ):
        to_sql(pipeline)
    hashed = load_model(train("--stream", "--categorical", "hash", "--n-features", "9", "--missing", "mean"))
    with pytest.raises(DataError, match='hashes text.*; train it without stream, with categorical="onehot"'):
        to_sql(hashed)
    with pytest.raises(DataError, match="this AUCClassifier has no probabilities; export its score"):
        to_sql(pipeline[-1], "probability", columns=list("abcdef"))
    with pytest.raises(ValueError, match="output must be"):
        to_sql(model, "label")
