"""Exports of all that a column can be: curves, rare values together, marked gaps, dates."""

import numpy as np
import pandas as pd
import pytest

from aucmax.io import DataError, load_model, to_onnx, to_sql
from aucmax.io.columns.errors import TableWarning

from .test_sql import assert_close, by_duckdb, by_sqlite


@pytest.fixture(scope="module")
def rows():
    """A table whose label follows a bend, a text with rare values, gaps, a month and a trend."""
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame({"age": rng.integers(18, 90, n).astype(float), "size": rng.normal(50, 9, n)})
    frame["city"] = rng.choice(
        ["Oslo", "Rome", "it's", "a", "b", "c"], n, p=[0.4, 0.4, 0.17, 0.01, 0.01, 0.01]
    )
    days, seconds = rng.integers(0, 900, n), rng.integers(0, 86_400, n)
    frame["when"] = pd.Timestamp("2021-03-01") + pd.to_timedelta(86_400 * days + seconds, unit="s")
    frame["clock"] = [(pd.Timestamp(0) + pd.Timedelta(seconds=second)).time() for second in seconds[::-1]]
    frame["flag"] = rng.integers(0, 2, n)
    score = (frame["age"] - 55) ** 2 / 400 + (frame["city"] == "Oslo") + (frame["when"].dt.month == 5)
    frame["state"] = np.where(score + rng.normal(size=n) > 1.5, "ill", "well")
    for name, step in (("age", 9), ("city", 11), ("when", 13), ("clock", 17)):
        frame.loc[::step, name] = None
    return frame


@pytest.fixture(scope="module")
def far(rows):
    """Rows that the training did not see: out of range, missing, of an unknown city."""
    new = rows.drop(columns="state").iloc[:40].copy()
    new["age"] = np.r_[np.linspace(-50, 200, 38), np.nan, 18.0]
    new["city"] = np.where(np.arange(40) % 5 == 0, "Kiel", new["city"])
    return new


def scores(model, frame):
    with pytest.warns(TableWarning, match="values that the training data do not have"):
        return model.decision_function(frame)


@pytest.mark.parametrize("options", [[], ["--curves"], ["--curves", "--missing", "mean"]])
def test_sql(train, rows, far, options):
    model = load_model(train(*options, rows=rows))
    encoding = model[0].encoding_
    assert any(column.knots for column in encoding.columns) == ("--curves" in options)
    assert any(column.indicator for column in encoding.columns) == ("--missing" not in options)
    assert {column.name for column in encoding.columns if column.pooled} == {"city"}
    assert_close(by_duckdb(rows, to_sql(model, table="data")), model.decision_function(rows))
    assert_close(by_duckdb(far, to_sql(model)), scores(model, far))


@pytest.mark.parametrize("options", [[], ["--curves"]])
def test_sql_without_dates_and_onnx(train, rows, far, options):
    model = load_model(train(*options, "--drop", "when,clock", rows=rows))
    for query in (by_sqlite, by_duckdb):
        assert_close(query(far, to_sql(model)), scores(model, far))
    onnxruntime = pytest.importorskip("onnxruntime", reason="ONNX graphs are run by onnxruntime")
    graph = to_onnx(model, dtype="float64").SerializeToString()
    session = onnxruntime.InferenceSession(graph, providers=["CPUExecutionProvider"])
    inputs = {name: far[[name]].to_numpy(dtype=float) for name in ("age", "size", "flag")}
    inputs["city"] = far[["city"]].fillna("").to_numpy(dtype=object)
    (found,) = session.run(["scores"], inputs)
    assert_close(found, scores(model, far))


def test_strict_models_give_null(train, rows, far):
    model = load_model(train("--curves", "--missing", "error", rows=rows.dropna()))
    found = by_duckdb(far, to_sql(model))
    gaps = far.isna().any(axis=1).to_numpy()
    np.testing.assert_array_equal(np.isnan(found), gaps)
    assert_close(found[~gaps], scores(model, far[~gaps]))


def test_onnx_has_no_dates(train, rows):
    model = load_model(train(rows=rows))
    with pytest.raises(DataError, match="ONNX has no dates, but the model has the column 'when'; export SQL"):
        to_onnx(model)
