"""What each column does to the score: its weight times its spread, with an interval, or its curve."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..io.columns.encoding import ColumnEncoding, TableEncoding, stored_encoding
from ..io.storage.models import Scorer

if TYPE_CHECKING:
    from ..io.columns.curves import Curve  # imports scipy

FOLDS = 5  # of `aucmax train`, unless a class has fewer rows


class Effect(NamedTuple):
    """A feature, its weight with the ends of a 95 % interval, its spread, and their product.

    A curve has no single weight, which is then NaN, and its effect has no sign.

    The interval is that of other rows of the same size, at the same penalty; it is None for models that were
    not cross-validated. The spread is None for models that do not know it, and then the effect is the weight.
    """

    feature: str
    weight: float
    low: float | None
    high: float | None
    spread: float | None
    effect: float

    @property
    def interval(self) -> tuple[float, ...]:
        """The ends of the interval of the effect; empty if it is not known."""
        factor = 1.0 if self.spread is None else self.spread
        return () if self.low is None or self.high is None else (factor * self.low, factor * self.high)


def summarise_effects(scorer: Scorer, spread: np.ndarray | None = None) -> list[Effect]:
    """The effects, with one for each curve in the place of its features."""
    curves = find_curves(scorer)
    parts = {feature for curve in curves for feature in curve.features}
    effects = [each for each in find_effects(scorer, spread) if each.feature not in parts]
    effects += [Effect(f"{curve.column} (curve)", np.nan, None, None, None, curve.effect) for curve in curves]
    return sorted(effects, key=lambda each: -abs(each.effect))


def find_effects(scorer: Scorer, spread: np.ndarray | None = None) -> list[Effect]:
    """All features whose weight is not 0, the largest effect first; ``spread`` if the model knows none."""
    names, known = feature_names(scorer), find_spread(scorer)
    spread = spread if known is None else known
    effect = scorer.coef if spread is None else scorer.coef * spread
    low = high = None
    if scorer.coef_se is not None:
        from scipy import special  # slow to import

        half = special.stdtrit(n_folds(scorer) - 1, 0.975) * scorer.coef_se
        low, high = scorer.coef - half, scorer.coef + half
    columns = scorer.coef, low, high, spread, effect
    order = np.argsort(-np.abs(effect), kind="stable")
    return [
        Effect._make((names[k], *(None if each is None else float(each[k]) for each in columns)))
        for k in order[scorer.coef[order] != 0]
    ]


def find_spread(scorer: Scorer) -> np.ndarray | None:
    """Standard deviation of each column in the training, or what the model has of the kind."""
    kept = scorer.summary.get("spread")
    return scorer.spread if kept is None else kept


def column_moments(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column, dense or sparse."""
    from sklearn.utils.sparsefuncs import mean_variance_axis  # slow to import

    if isinstance(X, np.ndarray):
        return X.mean(axis=0), X.std(axis=0)
    mean, variance = mean_variance_axis(X, axis=0)
    return mean, np.sqrt(variance)


def n_folds(scorer: Scorer) -> int:
    """Number of folds whose weights gave the standard errors."""
    folds = scorer.parameters.get("cv")
    return folds if isinstance(folds, int) and folds > 1 else FOLDS


def feature_names(scorer: Scorer) -> list[str]:
    """Names of the features, or their numbers as in the training data."""
    if scorer.feature_names:
        return scorer.feature_names
    first = 0 if scorer.summary.get("reading", {}).get("zero_based") else 1
    return [f"feature {k}" for k in range(first, first + len(scorer.coef))]


class ColumnCurve(NamedTuple):
    """A column, its curve, the features that make it, and its effect.

    The effect is the standard deviation of what the column adds to the score of the training rows.
    """

    column: str
    curve: "Curve"
    features: list[str]
    effect: float


def find_curves(scorer: Scorer) -> list[ColumnCurve]:
    """The curves of a model, the largest effect first; none for straight lines."""
    encoding = stored_encoding(scorer.summary.get("reading", {}))
    spreads = scorer.summary.get("curve_spreads")
    if encoding is None or not spreads:
        return []
    from ..io.columns.curves import column_curve

    found = []
    for column in _curved(encoding):
        curve = column_curve(encoding, scorer.coef, column.name)
        found.append(ColumnCurve(column.name, curve, column.measures, spreads[column.name]))
    return sorted(found, key=lambda each: -each.effect)


def curve_spreads(X: Any, coef: np.ndarray, encoding: TableEncoding | None) -> dict[str, float]:
    """Standard deviation of what each column that is a curve adds to the score of rows."""
    if encoding is None:
        return {}
    place = {name: k for k, name in enumerate(encoding.feature_names)}
    features = {column.name: [place[name] for name in column.measures] for column in _curved(encoding)}
    return {name: float(np.std(X[:, own] @ coef[own])) for name, own in features.items()}


def _curved(encoding: TableEncoding) -> list[ColumnEncoding]:
    return [column for column in encoding.of_kind("number") if column.knots]
