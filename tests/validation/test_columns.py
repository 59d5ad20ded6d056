"""Columns of text and dates are refused by name; identifiers and constant columns are named in a warning."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from aucmax import SPAM, AUCClassifier, AUCClassifierCV, OnlineAUCClassifier
from aucmax.validation.columns import ColumnWarning, warn_of_wild_values

MODELS = [AUCClassifier, AUCClassifierCV, SPAM, OnlineAUCClassifier]


def table(n=400):
    """Numbers, with labels that depend on them."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 2)), columns=["age", "income"])
    return frame, (frame["age"] + rng.normal(size=n) > 0).to_numpy()


@pytest.mark.parametrize("model", MODELS)
def test_text_categories_and_dates_are_named(model):
    X, y = table()
    words = np.where(y, "a", "b")
    bad = X.assign(city=words, job=pd.Categorical(words), born=pd.date_range("2000", periods=len(y)))
    names = r"'city' \(text\), 'job' \(category\), 'born' \(date\); encode .*io.TableEncoder .*dates"
    with pytest.raises(ValueError, match=names):
        model().fit(bad, y)
    with pytest.raises(ValueError, match=r"'city' \(text\)"):
        model().fit(X, y).decision_function(X.assign(income=words).set_axis(["age", "city"], axis=1))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_of_dates_alone_are_refused(make):
    X = make({"born": pd.date_range("2000", periods=4).to_numpy()})
    with pytest.raises(ValueError, match=r"'born' \(date\); make numbers of dates"):
        AUCClassifier().fit(X, [0, 1, 0, 1])


def test_polars_columns_are_named():
    X = pl.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "city": list("abab")})
    with pytest.raises(ValueError, match=r"'city' \(text\); encode text"):
        AUCClassifier().fit(X, [0, 1, 0, 1])


def test_numbers_of_any_kind_are_accepted():
    X, y = table()
    X = X.assign(member=y.astype(bool), visits=pd.array(np.arange(len(y)) % 7, dtype="Int64"))
    X["text of numbers"] = (np.arange(len(y)) % 5).astype(str)
    assert AUCClassifier().fit(X, y).score(X, y) > 0.9


def test_many_bad_columns_are_counted():
    X = pd.DataFrame({f"c{k}": ["a", "b"] for k in range(7)})
    with pytest.raises(ValueError, match=r"'c4' \(text\) and 2 more;"):
        AUCClassifier().fit(X, [0, 1])


@pytest.mark.parametrize("model", MODELS)
def test_nearly_unique_whole_numbers_are_named_once(model):
    X, y = table()
    X["patient"] = np.random.default_rng(1).permutation(10_000)[: len(y)]
    with pytest.warns(UserWarning, match="whole number in column 'patient'; if these are ident") as found:
        model().fit(X, y)
    assert len(found) == 1
    assert found[0].filename == __file__
    with pytest.warns(UserWarning, match="whole number in column 2;"):
        model().fit(X.to_numpy(), y)


def test_a_stream_warns_at_its_first_chunk_only():
    X, y = table()
    X["patient"] = np.arange(len(y))
    with pytest.warns(UserWarning, match="patient"):
        model = OnlineAUCClassifier().partial_fit(X, y)
    model.partial_fit(X, y)


@pytest.mark.parametrize("model", [AUCClassifier, OnlineAUCClassifier])
def test_full_columns_of_sparse_rows_may_be_identifiers(model):
    X, y = table(5000)
    words = np.random.default_rng(1).random((len(y), 3)) < 0.1
    ids = np.arange(len(y))
    encoded = np.column_stack([words, X["age"], ids + 1, np.where(words[:, 0], ids, 0)])
    with pytest.warns(UserWarning, match="whole number in column 4; if") as found:
        model().fit(sparse.csr_array(encoded), y)
    assert len(found) == 1
    assert found[0].filename == __file__
    model().fit(sparse.csr_array(np.delete(encoded, 4, axis=1)), y)


def test_a_warning_takes_names_that_it_lacks():
    X, y = table()
    with pytest.warns(UserWarning, match="in column 2;") as found:
        AUCClassifier().fit(np.column_stack([X, np.arange(len(y))]), y)
    warning = found[0].message
    assert "in column 2;" in str(warning.named(None))
    assert "in column 'c';" in str(warning.named(["a", "b", "c"]).named(["d", "e", "f"]))


def test_counts_and_prices_are_no_identifiers():
    X, y = table(5000)
    X["count"] = np.arange(len(y)) % 1000
    X["price"] = np.random.default_rng(1).permutation(len(y)) / 100
    AUCClassifier().fit(X, y)
    ids = np.arange(len(y))
    few = slice(0, 150)
    AUCClassifier().fit(X.assign(patient=ids)[few], y[few])


def test_a_missing_value_is_found_by_the_name_of_its_column():
    X, y = table()
    model = AUCClassifier().fit(X, y)
    X.loc[3, "age"] = np.nan
    for use in (lambda: AUCClassifier().fit(X, y), lambda: model.predict(X)):
        with pytest.raises(
            ValueError, match=r"X contains NaN at row 3, column 'age' \(counted from 0\); drop"
        ):
            use()


@pytest.mark.parametrize("model", [AUCClassifier, AUCClassifierCV])
def test_constant_columns_are_named(model):
    X, y = table()
    X = X.assign(**{f"k{j}": 0.5 for j in range(7)})
    with pytest.warns(UserWarning, match="7 of 9 columns are constant .* 'k0', .* 'k4' and 2 more") as found:
        fitted = model().fit(X, y)
    assert len(found) == 1
    assert found[0].filename == __file__
    assert not fitted.coef_[0, 2:].any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model().fit(sparse.csr_array(X.to_numpy() * (X.columns != "k0")), y)


@pytest.mark.parametrize("model", [AUCClassifier, AUCClassifierCV])
def test_wild_values_that_rule_a_column_are_named(model):
    X, y = table(2000)
    X.loc[17, "income"] = 1e9
    X.loc[[3, 99], "age"] = -1e7, -2e7
    said = (
        model.__name__ + ": a few values are so far from the others that these hardly count, in column 'age' "
        "(-2e+07 in row 99), 'income' (1e+09 in row 17), rows counted from 0; correct them, or clip the"
    )
    with pytest.warns(ColumnWarning) as caught:
        model().fit(X, y)
    assert str(caught[0].message).startswith(said)
    assert len(caught) == 1
    with pytest.warns(ColumnWarning, match=r"in column 0 \(row 99\), 1 \(row 17\), rows"):
        model().fit(sparse.csr_array(X), y)


def test_the_advice_helps_and_less_wild_values_do_no_harm():
    X, y = table(3000)
    (train, test), labels = (X[:2000], X[2000:]), y[:2000]
    wild = train.copy()
    wild.loc[17, "age"] = 1e6
    best = AUCClassifier().fit(train, labels).score(test, y[2000:])
    with pytest.warns(ColumnWarning, match="a few values"):
        assert AUCClassifier().fit(wild, labels).score(test, y[2000:]) < best - 0.02
    assert AUCClassifier().fit(wild.clip(-5.0, 5.0), labels).score(test, y[2000:]) > best - 0.002
    wild.loc[17, "age"] = 1e3  # no warning
    assert AUCClassifier().fit(wild, labels).score(test, y[2000:]) > best - 0.002


@pytest.mark.parametrize("n_rows", [60, 2000])
def test_long_tails_and_rare_values_are_not_wild(n_rows):
    rng = np.random.default_rng(0)
    normal = rng.normal(size=(n_rows, 10))
    rare = rng.random((n_rows, 10)) < 0.003
    rare[0] = True
    columns = [
        *(np.exp(2.0 * normal), rng.pareto(2.0, (n_rows, 10)), rng.standard_t(2, (n_rows, 10))),
        *(rare, rng.poisson(0.05, (n_rows, 10)), rare * np.exp(3.0 * normal), 1e9 * (1.0 + 1e-6 * normal)),
    ]
    X = np.hstack(columns).astype(np.float64)
    for rows in (X, sparse.csr_array(X)):
        warn_of_wild_values(AUCClassifier(), rows, np.full(X.shape[1], np.inf))  # warnings are errors


def test_data_sets_have_no_wild_values(real):
    for name in ("german.numer", "diabetes", "magic04", "svmguide3", "madelon", "w8a"):
        X = real(name)[0]
        for rows in (X, X.toarray()):  # every column is looked at
            warn_of_wild_values(AUCClassifier(), rows, np.full(X.shape[1], np.inf))
