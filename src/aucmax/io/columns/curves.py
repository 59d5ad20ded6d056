"""Curves of columns of numbers: cubic splines, so that a linear model can follow a bend.

Knots are at quantiles, so that each piece has rows to learn from. Beyond the outer knots, which are the least
and the largest value of the training data, a curve goes on at its last height: no training row
is there, and an outlier must not get an extreme score.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .encoding import TableEncoding

N_KNOTS = 5  # a curve can turn twice; 4 knots gain as much AUC, within 0.002 (benchmarks/curves.py)
MIN_KNOTS = 3  # a column of fewer distinct quantiles, such as 0 and 1, stays a straight line
MIN_GAP = 1e-9  # between knots, of their range: closer ones would leave rounding errors of their differences
DEGREE = 3


class Curve(NamedTuple):
    """What a column adds to the score, at some of its values."""

    x: np.ndarray
    contribution: np.ndarray


def column_curve(
    encoding: TableEncoding, coef: np.ndarray, column: str, x: np.ndarray | None = None
) -> Curve:
    """What a column of numbers adds to the score, for a picture of it.

    Parameters
    ----------
    encoding : TableEncoding
        Of the model: ``load_model(path)[0].encoding_``, or ``stored_encoding(scorer.summary["reading"])``.
    coef : ndarray of shape (n_features,)
        The weights of the features.
    column : str
        Name of a column of numbers; a KeyError if there is no such column.
    x : ndarray, optional
        Values of the column; by default 101 from the first to the last knot, so of the range of the training
        data. Needed for a column without knots, which is a straight line.

    Returns
    -------
    Curve
        ``x`` and ``contribution``, up to a constant: 0 at the value that replaces missing ones.
    """
    known = {each.name: each for each in encoding.of_kind("number")}[column]
    if x is None:
        if not known.knots:
            raise ValueError(f"{column!r} is a straight line and has no range; give x.")
        x = np.linspace(known.knots[0], known.knots[-1], 101)
    weights = dict(zip(encoding.feature_names, coef, strict=True))
    own = np.array([weights[name] for name in known.measures])
    values = np.append(np.asarray(x, dtype=float), known.fill)
    parts = spline_columns(values, known.knots) if known.knots else values[:, None]
    score = parts @ own
    return Curve(values[:-1], score[:-1] - score[-1])


def learn_knots(values: np.ndarray) -> tuple[float, ...]:
    """Knots at quantiles of a column, which are values of it; none if they are too few for a curve."""
    knots = np.unique(np.quantile(values, np.linspace(0.0, 1.0, N_KNOTS), method="inverted_cdf"))
    with np.errstate(over="ignore"):
        apart = np.diff(knots, prepend=-np.inf) > MIN_GAP * (knots[-1] - knots[0])
    knots = knots[apart]
    return tuple(knots.tolist()) if len(knots) >= MIN_KNOTS and np.isfinite(knots[-1] - knots[0]) else ()


def spline_columns(values: np.ndarray, knots: tuple[float, ...]) -> np.ndarray:
    """The features of a spline, by scikit-learn's SplineTransformer."""
    return _transformer(knots).transform(values[:, None])


def _transformer(knots: tuple[float, ...]) -> Any:
    from sklearn.preprocessing import SplineTransformer

    base = np.array(knots)[:, None]
    spline = SplineTransformer(degree=DEGREE, knots=base, extrapolation="constant", include_bias=False)
    return spline.fit(base)


def spline_pieces(knots: tuple[float, ...]) -> np.ndarray:
    """The features of a spline as polynomials, of shape (degree + 1, pieces, features).

    Feature j is ``sum_d pieces[d, i, j] * (x - knots[i])**d`` between the knots i and i + 1.
    """
    from scipy.interpolate import PPoly

    spline = _transformer(knots).bsplines_[0]
    n_features = spline.c.shape[1] - 1  # without the last one
    columns = [PPoly.from_spline((spline.t, spline.c[:, j], DEGREE)).c[::-1] for j in range(n_features)]
    return np.stack(columns, axis=2)[:, DEGREE : DEGREE + len(knots) - 1]  # the outer pieces are not used


def learn_curves(X: Any, encoding: TableEncoding) -> TableEncoding:
    """The encoding with a spline for each number; ``X`` has the numbers as its first columns."""
    numbers = encoding.of_kind("number")
    block = _number_block(X, len(numbers))
    curved = [column._replace(knots=learn_knots(block[:, k])) for k, column in enumerate(numbers)]
    return encoding._replace(columns=(*curved, *encoding.columns[len(numbers) :]))


def apply_curves(X: Any, encoding: TableEncoding) -> Any:
    """X of straight lines, with the splines of an encoding in the place of its numbers."""
    numbers = encoding.of_kind("number")
    block, rest = _number_block(X, len(numbers)), X[:, len(numbers) :]
    parts = [
        spline_columns(block[:, k], column.knots) if column.knots else block[:, [k]]
        for k, column in enumerate(numbers)
    ]
    if sparse.issparse(X):
        return sparse.hstack([sparse.csr_array(np.hstack(parts)), rest], format="csr")
    return np.hstack([*parts, rest])


def _number_block(X: Any, n_numbers: int) -> np.ndarray:
    block = X[:, :n_numbers]
    return block.toarray() if sparse.issparse(block) else block
