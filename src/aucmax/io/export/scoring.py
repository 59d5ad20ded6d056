"""What an export needs of a model: weights by column, and the calibration as a sum of increasing pieces."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from ...base import LinearAUCClassifier
from ...calibration import Calibration
from ...validation.errors import DataError
from ..columns.encoding import TableEncoding
from ..columns.table_encoder import TableEncoder


class TableModel(NamedTuple):
    """A linear model and the step that encodes a table for it, None where X is a matrix."""

    encoder: TableEncoder | None
    linear: LinearAUCClassifier


def table_model(model: Any) -> TableModel | None:
    """The parts of a model of aucmax or of what `load_model` returns for one of a table; None for others."""
    check_is_fitted(model)
    steps = [step for _, step in model.steps] if isinstance(model, Pipeline) else [None, model]
    if len(steps) != 2 or not isinstance(steps[1], LinearAUCClassifier):
        return None
    encoder, linear = steps
    return TableModel(encoder, linear) if encoder is None or isinstance(encoder, TableEncoder) else None


def known_values(encoding: TableEncoding) -> TableEncoding:
    """The encoding; a DataError if it hashes text, so that the values of the features are not known."""
    if encoding.n_buckets:
        problem = "the model hashes text, so its columns and values are not known"
        raise DataError(problem, remedy='train it without {stream}, with {categorical="onehot"}')
    return encoding


class Pieces(NamedTuple):
    """Log-odds as ``start + sum(slope * (clip(score, low, high) - knot))``, a sum of increasing functions."""

    start: float
    low: np.ndarray
    high: np.ndarray
    knot: np.ndarray
    slope: np.ndarray

    @classmethod
    def of(cls, calibration: Calibration) -> "Pieces":
        """The pieces of a calibration; the first and the last one have no end."""
        knots, values = calibration.knots, calibration.log_odds
        low, high = knots[:-1].copy(), knots[1:].copy()
        low[0], high[-1] = -np.inf, np.inf
        return cls(float(values[0]), low, high, knots[:-1], np.diff(values) / np.diff(knots))


def name_of(model: BaseEstimator) -> str:
    """The class of a model, and of the steps of a pipeline."""
    if isinstance(model, Pipeline):
        return f"Pipeline of {', '.join(type(step).__name__ for _, step in model.steps)}"
    return type(model).__name__
