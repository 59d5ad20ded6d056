"""Behaviour that every estimator must show, whatever its method.

Each check takes an unfitted estimator and a layout (a function that turns a dense array into the form to be
tested). It raises an AssertionError that says what failed, or ``unittest.SkipTest``, which pytest reports as
skipped, where it does not apply. To check an estimator of your own::

    @pytest.mark.parametrize("check", aucmax.testing.CHECKS)
    def test_behaviour(check):
        check(MyEstimator(random_state=0), scipy.sparse.csr_array)
"""

import pickle
from collections.abc import Callable
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.base import clone

Layout = Callable[[np.ndarray], Any]


def _make_data(n_rows: int = 120, n_features: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Rows of norm one, half of the entries zero, one row all zero, a quarter of the rows positive."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, n_features)) * (rng.random((n_rows, n_features)) < 0.5)
    X /= np.linalg.norm(X, axis=1, keepdims=True) + 1e-12
    X[3] = 0.0
    score = X @ rng.normal(size=n_features) + 0.5 * rng.normal(size=n_rows)
    return X, np.where(score > np.quantile(score, 0.75), "yes", "no")


def _require_partial_fit(estimator: Any) -> None:
    if not hasattr(estimator, "partial_fit"):
        raise SkipTest(f"{type(estimator).__name__} has no partial_fit")


def _fit_chunks(estimator: Any, X: Any, y: np.ndarray, cuts: list[int]) -> Any:
    """A clone fitted by ``partial_fit`` to chunks that end at ``cuts``."""
    estimator = clone(estimator)
    for start, stop in zip([0, *cuts], [*cuts, len(y)], strict=True):
        estimator.partial_fit(X[start:stop], y[start:stop], classes=["no", "yes"])
    return estimator


def _assert_close(actual: np.ndarray, desired: np.ndarray, what: str, tolerance: float = 1e-10) -> None:
    error = np.abs(actual - desired).max() / max(np.abs(desired).max(), 1e-300)
    assert error <= tolerance, f"{what}: relative error {error:.1e} above {tolerance:.0e}"


def layouts_agree(estimator: Any, layout: Layout) -> None:
    """The layout under test gives the weights of the dense one."""
    X, y = _make_data()
    plain, other = clone(estimator).fit(X, y), clone(estimator).fit(layout(X), y)
    _assert_close(other.coef_, plain.coef_, "layouts differ")


def chunks_agree(estimator: Any, layout: Layout) -> None:
    """The model does not depend on how a stream is cut into chunks, not even in the last bit."""
    _require_partial_fit(estimator)
    X, y = _make_data()
    X = layout(X)
    whole = _fit_chunks(estimator, X, y, [])
    for cuts in ([1], [60], [10, 11, 50, 119], list(range(1, len(y)))):
        parts = _fit_chunks(estimator, X, y, cuts)
        assert np.array_equal(whole.coef_, parts.coef_), f"cutting the stream at {cuts} changes coef_"
        assert np.array_equal(whole.intercept_, parts.intercept_), f"cutting at {cuts} changes intercept_"


def features_permute(estimator: Any, layout: Layout) -> None:
    """Permuting the columns permutes the weights."""
    X, y = _make_data()
    order = np.random.default_rng(0).permutation(X.shape[1])
    plain, permuted = clone(estimator).fit(layout(X), y), clone(estimator).fit(layout(X[:, order]), y)
    _assert_close(permuted.coef_, plain.coef_[:, order], "permuted columns", 1e-8)


def labels_swap(estimator: Any, layout: Layout) -> None:
    """Swapping the classes negates the weights."""
    X, y = _make_data()
    swapped = np.where(y == "yes", "a", "b")
    plain, other = clone(estimator).fit(layout(X), y), clone(estimator).fit(layout(X), swapped)
    _assert_close(other.coef_, -plain.coef_, "swapped labels", 1e-8)


def input_is_not_changed(estimator: Any, layout: Layout) -> None:
    """Read-only float32 input, with 64-bit indices where sparse, is accepted and not changed."""
    X, y = _make_data()
    X = layout(X.astype(np.float32))
    parts = [X]
    if hasattr(X, "indptr"):
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        parts = [X.data, X.indices, X.indptr]
    copies = [part.copy() for part in parts]
    for part in parts:
        part.flags.writeable = False
    fitted = clone(estimator).fit(X, y)
    fitted.predict(X)
    for part, copy in zip(parts, copies, strict=True):
        assert np.array_equal(part, copy), "the input was changed"
    assert fitted.score(X, y) > 0.6, "nothing learnt from float32 input"


def pickle_continues_the_stream(estimator: Any, layout: Layout) -> None:
    """A model pickled in the middle of a stream gives the same bits as one that was not."""
    _require_partial_fit(estimator)
    X, y = _make_data()
    X = layout(X)
    first = _fit_chunks(estimator, X[:50], y[:50], [])
    copy = pickle.loads(pickle.dumps(first))
    for model in (first, copy):
        model.partial_fit(X[50:], y[50:])
    assert np.array_equal(first.coef_, copy.coef_), "the pickled model continues differently"


def second_class_may_come_late(estimator: Any, layout: Layout) -> None:
    """A stream may begin with rows of one class; the model stays finite."""
    _require_partial_fit(estimator)
    X, y = _make_data()
    order = np.argsort(y == "yes", kind="stable")
    X, y = layout(X[order]), y[order]
    model = clone(estimator)
    model.partial_fit(X[:20], y[:20], classes=["no", "yes"])
    assert np.isfinite(model.decision_function(X)).all(), "rows of one class give scores that are not finite"
    model.partial_fit(X[20:], y[20:])
    assert model.score(X, y) > 0.5, "nothing learnt after rows of the second class"


def zero_weights_do_nothing(estimator: Any, layout: Layout) -> None:
    """Rows of weight zero have no influence.

    Neither changing their values nor, unless the method draws rows at random, leaving them out changes the
    model.
    """
    X, y = _make_data()
    weights = np.ones(len(y))
    weights[::3] = 0.0
    keep, other = weights > 0, X.copy()
    other[~keep] *= -3.0
    plain = clone(estimator).fit(layout(X), y, sample_weight=weights)
    changed = clone(estimator).fit(layout(other), y, sample_weight=weights)
    _assert_close(changed.coef_, plain.coef_, "the values of rows of weight zero change the model", 1e-12)
    parameters = estimator.get_params()
    if "shuffle" in parameters or "random_state" not in parameters:
        settings = {"shuffle": False} if "shuffle" in parameters else {"tol": 1e-10}
        settings = {name: value for name, value in settings.items() if name in parameters}
        weighted = clone(estimator).set_params(**settings).fit(layout(X), y, sample_weight=weights)
        without = clone(estimator).set_params(**settings).fit(layout(X[keep]), y[keep])
        _assert_close(weighted.coef_, without.coef_, "rows of weight zero change the model", 1e-8)
    if hasattr(estimator, "partial_fit"):
        kept = _fit_chunks(estimator, layout(X[keep]), y[keep], [])
        streamed = clone(estimator).partial_fit(layout(X), y, sample_weight=weights)
        streamed.partial_fit(layout(X[:5]), y[:5], sample_weight=np.zeros(5))
        assert np.array_equal(kept.coef_, streamed.coef_), "rows of weight zero change the stream's model"


def squared_norm_is_exact(estimator: Any, layout: Layout) -> None:
    """The squared norm that a stochastic method updates with each row equals that of its weights."""
    X, y = _make_data(3000)
    fitted = clone(estimator).fit(layout(X), y)
    model: Any = getattr(getattr(fitted, "_solver", None), "model", None)
    if not hasattr(model, "sqnorm"):
        raise SkipTest(f"{type(estimator).__name__} keeps no squared norm")
    w = model.last()
    _assert_close(np.array([model.sqnorm]), np.array([w @ w]), "squared norm")


def huge_values_give_no_nan(estimator: Any, layout: Layout) -> None:
    """Rows of huge and of tiny values give a finite model, or an error that says what to do."""
    X, y = _make_data()
    for factor in (1e-150, 1e-8, 1e8, 1e150):
        scaled = X.copy()
        scaled[::7] *= factor
        model = clone(estimator)
        try:
            model.fit(layout(scaled), y)
        except ValueError as error:
            assert "diverged" in str(error) or "scale" in str(error), f"unhelpful error: {error}"
            assert factor > 1, f"fit fails with values of size {factor:g}"
            assert not hasattr(model, "coef_"), "a fit that failed left a model"
        else:
            for name in ("coef_", "intercept_"):
                assert np.isfinite(getattr(model, name)).all(), f"{name} is not finite at {factor:g}"


def memory_is_bounded(estimator: Any, layout: Layout) -> None:
    """The model does not grow with the length of the stream."""
    _require_partial_fit(estimator)
    X, y = _make_data(2000)
    model = _fit_chunks(estimator, layout(X[:1000]), y[:1000], [])
    size = len(pickle.dumps(model))
    model.partial_fit(layout(X[1000:]), y[1000:])
    assert len(pickle.dumps(model)) <= size + 256, "the model grows with the stream"


CHECKS = [
    layouts_agree,
    chunks_agree,
    features_permute,
    labels_swap,
    input_is_not_changed,
    pickle_continues_the_stream,
    second_class_may_come_late,
    zero_weights_do_nothing,
    squared_norm_is_exact,
    huge_values_give_no_nan,
    memory_is_bounded,
]

__all__ = ["CHECKS", *(check.__name__ for check in CHECKS)]
