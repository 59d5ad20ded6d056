"""The curves of columns that enter a model as splines: what each value of a column adds to the score."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..io.columns.encoding import ColumnEncoding, TableEncoding, stored_encoding
from ..io.storage.models import Scorer

if TYPE_CHECKING:
    from ..io.columns.curves import Curve  # imports scipy


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
