"""Behaviour that every estimator must show, whatever its method.

Each check takes an unfitted estimator and a layout (a function that turns a dense array into
the form to be tested), and raises an AssertionError that says what failed. An estimator of
your own can be put through them like this::

    for check in CHECKS:
        check(MyEstimator(random_state=0), scipy.sparse.csr_array)
"""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone

Layout = Callable[[np.ndarray], Any]


def _data(n_rows: int = 120, n_features: int = 12) -> tuple[np.ndarray, np.ndarray]:
    """Unit rows, half of them zeros, a quarter positive, with one empty row."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n_rows, n_features)) * (rng.random((n_rows, n_features)) < 0.5)
    X /= np.linalg.norm(X, axis=1, keepdims=True) + 1e-12
    X[3] = 0.0
    score = X @ rng.normal(size=n_features) + 0.5 * rng.normal(size=n_rows)
    return X, np.where(score > np.quantile(score, 0.75), "yes", "no")


def _is_online(estimator: Any) -> bool:
    return hasattr(estimator, "partial_fit")


def _streamed(estimator: Any, X: Any, y: np.ndarray, cuts: list[int]) -> Any:
    estimator = clone(estimator)
    for start, stop in zip([0, *cuts], [*cuts, len(y)], strict=True):
        estimator.partial_fit(X[start:stop], y[start:stop], classes=["no", "yes"])
    return estimator


def _close(actual: np.ndarray, desired: np.ndarray, what: str, tolerance: float = 1e-10) -> None:
    error = np.abs(actual - desired).max() / max(np.abs(desired).max(), 1e-300)
    assert error <= tolerance, f"{what}: relative error {error:.1e} above {tolerance:.0e}"


def layouts_agree(estimator: Any, layout: Layout) -> None:
    """The layout under test gives the weights of the dense one."""
    X, y = _data()
    _close(clone(estimator).fit(layout(X), y).coef_, clone(estimator).fit(X, y).coef_, "layouts differ")


def chunks_agree(estimator: Any, layout: Layout) -> None:
    """However a stream is cut, the model is the same to the bit."""
    if not _is_online(estimator):
        return
    X, y = _data()
    X = layout(X)
    whole = _streamed(estimator, X, y, [])
    for cuts in ([1], [60], [10, 11, 50, 119], list(range(1, len(y)))):
        parts = _streamed(estimator, X, y, cuts)
        assert np.array_equal(whole.coef_, parts.coef_), f"cutting the stream at {cuts} changes coef_"
        assert np.array_equal(whole.intercept_, parts.intercept_), f"cutting at {cuts} changes intercept_"


def features_permute(estimator: Any, layout: Layout) -> None:
    """Permuting the columns permutes the weights."""
    X, y = _data()
    order = np.random.default_rng(0).permutation(X.shape[1])
    plain, permuted = clone(estimator).fit(layout(X), y), clone(estimator).fit(layout(X[:, order]), y)
    _close(permuted.coef_, plain.coef_[:, order], "permuted columns", 1e-8)


def labels_swap(estimator: Any, layout: Layout) -> None:
    """Calling the positives negative negates the weights."""
    X, y = _data()
    swapped = np.where(y == "yes", "a", "b")
    _close(
        clone(estimator).fit(layout(X), swapped).coef_,
        -clone(estimator).fit(layout(X), y).coef_,
        "swapped labels",
        1e-8,
    )


def input_is_left_alone(estimator: Any, layout: Layout) -> None:
    """Read-only float32 input, with 64-bit indices where sparse, is accepted and not changed."""
    X, y = _data()
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
    assert fitted.score(X, y) > 0.6, "float32 input is not learnt from"


def pickle_goes_on(estimator: Any, layout: Layout) -> None:
    """A pickle taken in mid-stream goes on to the same bits."""
    if not _is_online(estimator):
        return
    X, y = _data()
    X = layout(X)
    first = _streamed(estimator, X[:50], y[:50], [])
    copy = pickle.loads(pickle.dumps(first))
    for model in (first, copy):
        model.partial_fit(X[50:], y[50:])
    assert np.array_equal(first.coef_, copy.coef_), "the pickled model goes on differently"


def second_class_may_come_late(estimator: Any, layout: Layout) -> None:
    """Rows of one class only are learnt from without error; the model stays finite."""
    if not _is_online(estimator):
        return
    X, y = _data()
    order = np.argsort(y == "yes", kind="stable")
    X, y = layout(X[order]), y[order]
    model = clone(estimator)
    model.partial_fit(X[:20], y[:20], classes=["no", "yes"])
    assert np.isfinite(model.decision_function(X)).all()
    model.partial_fit(X[20:], y[20:])
    assert model.score(X, y) > 0.5, "nothing learnt once the second class came"


def zero_weights_do_nothing(estimator: Any, layout: Layout) -> None:
    """Rows of weight zero leave no trace."""
    X, y = _data()
    weights = np.ones(len(y))
    weights[::3] = 0.0
    keep = weights > 0
    if _is_online(estimator):
        both = _streamed(estimator, layout(X[keep]), y[keep], [])
        other = clone(estimator)
        other.partial_fit(layout(X), y, sample_weight=weights)
        other.partial_fit(layout(X[:5]), y[:5], sample_weight=np.zeros(5))
        assert np.array_equal(both.coef_, other.coef_), "rows of weight zero change the model"
    else:
        weighted = clone(estimator).fit(layout(X), y, sample_weight=weights).coef_
        assert np.isfinite(weighted).all()


def norm_is_tracked(estimator: Any, layout: Layout) -> None:
    """The squared norm kept along with the weights, where one is, is that of the weights."""
    X, y = _data(3000)
    fitted = clone(estimator).fit(layout(X), y)
    if hasattr(fitted, "_solver") and hasattr(fitted._solver.model, "sqnorm"):
        model = fitted._solver.model
        w = model.last()
        _close(np.array([model.sqnorm]), np.array([w @ w]), "tracked norm")


def huge_values_give_no_nan(estimator: Any, layout: Layout) -> None:
    """Rows of huge and of tiny values end in a finite model or in a clear refusal."""
    X, y = _data()
    for factor in (1e-150, 1e-8, 1e8, 1e150):
        scaled = X.copy()
        scaled[::7] *= factor
        model = clone(estimator)
        try:
            model.fit(layout(scaled), y)
        except ValueError as error:
            assert "diverged" in str(error) or "scale" in str(error), f"unhelpful error: {error}"
        for name in ("coef_", "intercept_"):
            assert np.isfinite(getattr(model, name, 0.0)).all(), f"{name} is not finite at {factor:g}"


def memory_is_bounded(estimator: Any, layout: Layout) -> None:
    """A long stream leaves no more behind than a short one."""
    if not _is_online(estimator):
        return
    X, y = _data(2000)
    model = _streamed(estimator, layout(X[:1000]), y[:1000], [])
    size = len(pickle.dumps(model))
    model.partial_fit(layout(X[1000:]), y[1000:])
    assert len(pickle.dumps(model)) <= size + 256, "the model grows with the stream"


CHECKS = [
    layouts_agree,
    chunks_agree,
    features_permute,
    labels_swap,
    input_is_left_alone,
    pickle_goes_on,
    second_class_may_come_late,
    zero_weights_do_nothing,
    norm_is_tracked,
    huge_values_give_no_nan,
    memory_is_bounded,
]
