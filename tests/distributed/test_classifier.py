"""DaskAUCClassifier against AUCClassifier."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import aucmax
from aucmax import AUCClassifier
from aucmax.distributed import DaskAUCClassifier
from aucmax.pairs.losses import LOSSES
from oracles.distributed import problem, spread

# The same rows in other forms and cuts.
LAYOUTS = {
    "dense": lambda X: X,
    "csr": lambda X: X.map_blocks(sparse.csr_matrix),
    "columns": lambda X: X.rechunk((-1, 2)).rechunk((40, 2)),
    "float32": lambda X: X.astype(np.float32),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("chunks", [40, 7, 200])
def test_result_does_not_depend_on_the_partitions(layout, chunks):
    X, y, weights = problem()
    settings = {"standardize": False} if layout == "csr" else {}  # CSR columns are scaled in another way
    first = DaskAUCClassifier(**settings).fit(*spread(X, y, weights))
    rows, *rest = spread(X, y, weights, chunks=chunks)
    other = DaskAUCClassifier(**settings).fit(LAYOUTS[layout](rows), *rest)
    np.testing.assert_allclose(other.coef_, first.coef_, atol=1e-10)
    assert other.intercept_ == pytest.approx(first.intercept_, abs=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
def test_finds_the_exact_minimiser(loss):
    X, y, weights = problem(2000)
    tol = 1e-4 if loss == "hinge" else 1e-8
    model = DaskAUCClassifier(loss, l2=0.01, tol=tol).fit(*spread(X, y, weights, chunks=300))
    exact = AUCClassifier(loss, l2=0.01, tol=tol).fit(X, y, weights)
    assert model.objective_ == pytest.approx(exact.objective_, rel=tol if loss == "hinge" else 1e-9)
    assert model.optimality_ <= tol
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=0.02 if loss == "hinge" else 1e-5)
    assert model.score(X, y) == pytest.approx(exact.score(X, y), abs=1e-4 if loss == "hinge" else 1e-6)
    if loss != "hinge":
        assert model.intercept_ == pytest.approx(exact.intercept_, abs=1e-4)
        auto = DaskAUCClassifier(loss).fit(*spread(X, y)).l2_
        assert auto == pytest.approx(AUCClassifier(loss).fit(X, y).l2_)


@pytest.mark.parametrize("push", [2.0, 8.0])
def test_push_is_that_of_the_classifier_in_memory(push):
    X, y, weights = problem(2000)
    model = DaskAUCClassifier(push=push, l2=0.01, tol=1e-8).fit(*spread(X, y, weights, chunks=300))
    exact = AUCClassifier(push=push, l2=0.01, tol=1e-8).fit(X, y, weights)
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-8)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*columns are constant")
@pytest.mark.parametrize("layout", ["dense", "csr"])
@pytest.mark.parametrize("standardize", ["auto", False, 0.75, True])
def test_columns_are_scaled_like_those_of_the_classifier_in_memory(layout, standardize):
    X, y, weights = problem(2000)
    X = np.column_stack([X * np.geomspace(0.1, 10.0, X.shape[1]), np.full(len(y), 0.25)])
    rows, *rest = spread(X, y, weights, chunks=300)
    settings = {"standardize": standardize, "tol": 1e-8}
    model = DaskAUCClassifier(**settings).fit(LAYOUTS[layout](rows), *rest)
    exact = AUCClassifier(**settings).fit(X if layout == "dense" else sparse.csr_array(X), y, weights)
    np.testing.assert_allclose(model.feature_scale_, exact.feature_scale_, rtol=1e-10)
    assert model.l2_ == pytest.approx(exact.l2_)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-5 * np.abs(exact.coef_).max())


def test_the_minimiser_of_real_data(real):
    X, labels = real("a9a")
    X, y = X.toarray()[:8000, :100], labels[:8000]
    model = DaskAUCClassifier().fit(*spread(X, y, chunks=1500))
    exact = AUCClassifier(tol=1e-8).fit(X, y)
    assert model.objective_ == pytest.approx(exact.objective_, rel=1e-6)
    assert model.score(X, y) == pytest.approx(exact.score(X, y), abs=1e-5)


def test_units_of_columns_change_no_score():
    X, y, weights = problem()
    factors = 10.0 ** np.random.default_rng(0).uniform(-6, 6, X.shape[1])
    plain = DaskAUCClassifier(tol=1e-8).fit(*spread(X, y, weights))
    other = DaskAUCClassifier(tol=1e-8).fit(*spread(X * factors, y, weights))
    np.testing.assert_allclose(
        other.decision_function(X * factors), plain.decision_function(X), rtol=1e-5, atol=1e-6
    )


def test_data_frames_give_the_model_of_arrays():
    X, y, weights = problem()
    names = [f"column {k}" for k in range(X.shape[1])]
    table = pd.DataFrame(X, columns=names).assign(y=np.where(y == 1, "fraud", "legit"), weight=weights)
    table = dd.from_pandas(table, npartitions=4)
    model = DaskAUCClassifier().fit(table[names], table["y"], table["weight"])
    assert model.classes_.tolist() == ["fraud", "legit"]
    assert model.feature_names_in_.tolist() == names
    array = DaskAUCClassifier().fit(*spread(X, 1 - y, weights))
    np.testing.assert_allclose(model.coef_, array.coef_, atol=1e-10)
    assert model.score(table[names], table["y"]) == array.score(da.from_array(X), da.from_array(1 - y))
    labels = model.predict(table[names]).compute()
    np.testing.assert_array_equal(labels == "legit", array.predict(X) == 1)
    assert not hasattr(array, "feature_names_in_")


def test_results_of_dask_data_are_lazy():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    model = clone(DaskAUCClassifier()).fit(rows, labels)
    found = model.decision_function(rows)
    assert isinstance(found, da.Array)
    np.testing.assert_array_equal(found.compute(), model.decision_function(X))
    np.testing.assert_array_equal(model.predict(rows).compute(), model.predict(X))
    assert model.score(rows, labels) == model.score(X, y)


@pytest.mark.parametrize("settings", [{"push": 0.5}, {"persist": 1}, {"tol": 0.0}, {"l2": -1.0}])
def test_bad_parameters_are_refused(settings):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=f"DaskAUCClassifier: {next(iter(settings))} must be"):
        DaskAUCClassifier(**settings).fit(*spread(X, y))


def test_probabilities_are_those_of_the_model_with_cross_validation():
    X, y, _ = problem()
    model = DaskAUCClassifier().fit(*spread(X, y))
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"use DaskAUCClassifierCV, which calibrates on its folds\.$"):
        model.predict_proba(X)


def test_warns_before_convergence():
    X, y, _ = problem()
    with pytest.warns(ConvergenceWarning, match="short of the tolerance 1e-08"):
        DaskAUCClassifier(tol=1e-8, max_iter=1).fit(*spread(X, y))


def test_a_later_fit_does_not_change_earlier_results():
    X, y, _ = problem()
    rows, labels = spread(X, y)
    model = DaskAUCClassifier().fit(rows, labels)
    found, known = model.decision_function(rows), model.decision_function(X)
    model.fit(rows, 1 - labels)
    np.testing.assert_array_equal(found.compute(), known)


def test_saved_model_scores_the_same(tmp_path):
    X, y, _ = problem()
    model = DaskAUCClassifier(push=2.0).fit(*spread(X, y))
    aucmax.io.save_model(model, tmp_path / "model.auc")
    again = aucmax.io.load_model(tmp_path / "model.auc")
    assert again.get_params() == model.get_params()
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert aucmax.distributed.DaskAUCClassifier is type(again)
