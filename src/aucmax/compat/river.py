"""OnlineAUCClassifier for rows given one at a time as dicts, with river's methods."""

import copy
import math
import reprlib
from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import murmurhash3_32

from ..kernels.interrupts import defer_interrupts
from ..kernels.rows import CSR, Rows, read_only
from ..stochastic.engine.estimator import Solver
from ..stochastic.engine.loop import Data
from ..streaming.constants import RECENT
from ..streaming.estimator import OnlineAUCClassifier
from ..streaming.model import StreamModel
from ..validation.parameters import check_params, none, positive_integer

try:
    from river.base import Classifier
except ImportError:

    class Classifier:  # type: ignore[no-redef]
        """Stands in where river is not installed: nothing else needs it."""


def _number(given: Any) -> float:
    """The value as a float; NaN, which is refused with the name it came under, if it is none."""
    try:
        return float(given)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _numbers(x: Mapping[Hashable, Any]) -> dict[Hashable, float]:
    """The row with numbers only: a string is a name with value 1."""
    found: dict[Hashable, float] = {}
    for name, given in x.items():
        key, value = (f"{name}={given}", 1.0) if isinstance(given, str) else (name, _number(given))
        if not math.isfinite(value):
            shown = reprlib.repr(given)
            raise ValueError(f"RiverAUC: the value of {name!r} is {shown}; leave such names out of the row.")
        found[key] = found.get(key, 0.0) + value
    return found


class RiverAUC(Classifier):
    """``OnlineAUCClassifier`` with ``learn_one`` and ``predict_score_one``, for river's pipelines and loops.

    Rows are dicts from names to numbers; names that are missing count as 0, and a string counts as
    the name ``"name=string"`` with value 1. Nothing has to be known beforehand: new names get new
    columns, and the model is the one that had known them from the start, at 0.

    Parameters
    ----------
    model : OnlineAUCClassifier, optional
        Settings. With ``center=False``, rows are stored sparsely, for text and the like; otherwise
        columns are standardised, and a row costs O(names so far).
    n_features : int, optional
        Put names into this many columns by a hash, so that memory is fixed whatever comes; rows are
        then stored sparsely and not centred, so ``center=True`` is refused.
    positive : label, default=True
        The label to be ranked high; any other label counts as negative.

    Notes
    -----
    The score is not a probability. ``predict_proba_one``, which river's ``ROCAUC`` asks for, is calibrated on
    the scores that rows had before they were learnt from.

    Examples
    --------
    >>> model = RiverAUC()
    >>> for k in range(100):
    ...     model.learn_one({"size": k % 10, "kind": "odd" if k % 2 else "even"}, k % 10 > 6)
    >>> model.predict_score_one({"size": 9}) > model.predict_score_one({"size": 2})
    True
    """

    def __init__(
        self,
        model: OnlineAUCClassifier | None = None,
        n_features: int | None = None,
        positive: Any = True,
    ) -> None:
        self.model = model
        self.n_features = n_features
        self.positive = positive
        self.negative: Any = False if positive is True else None
        self.vocabulary: dict[Hashable, int] = {}
        self._learner = OnlineAUCClassifier() if model is None else clone(model)
        check_params(self._learner)
        (positive_integer | none).check("n_features", n_features, owner="RiverAUC")
        center = self._learner.center
        if n_features is not None and center != "auto" and center:
            raise ValueError("RiverAUC: hashed columns are not centred; leave out n_features or center=True.")
        self._sparse = n_features is not None or (center != "auto" and not center)
        self._learner._accept(self._learner._start(np.zeros(n_features or 0)))
        self._calibrated_at = -RECENT  # the number of rows by then

    def learn_one(self, x: Mapping[Hashable, Any], y: Any, w: float = 1.0) -> None:
        """Learn from one row.

        Parameters
        ----------
        x : dict
            Names and numbers, or strings.
        y : label
        w : float, default=1.0
            Weight of the row; one of weight 0 is passed over.
        """
        if not (math.isfinite(w) and w >= 0.0):
            raise ValueError(f"RiverAUC: w must be a finite number of at least 0; got {w!r}.")
        positive = bool(y == self.positive)
        if self.positive is True and not positive and y not in (False,):
            raise ValueError(
                f"RiverAUC: the label {y!r} is neither True nor False; name the one to be ranked high, which "
                "may be another: RiverAUC(positive=...)."
            )
        numbers = _numbers(x)
        if not positive:
            self.negative = y
        if w == 0.0:
            return
        with defer_interrupts():
            data = Data.of(self._rows(*self._entries(numbers, grow=True)), np.array([w if positive else -w]))
            self._learner._take_chunk(self._learner._solver, data.in_order(np.zeros(1, dtype=np.intp)))

    def predict_score_one(self, x: Mapping[Hashable, Any]) -> float:
        """Score a row: the higher, the likelier positive; 0 parts the classes."""
        return self._score(*self._entries(_numbers(x), grow=False))

    def predict_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> Any:
        """Label a row: the positive label where the score is above 0."""
        return self.positive if self.predict_score_one(x) > 0.0 else self.negative

    def predict_proba_one(self, x: Mapping[Hashable, Any], **kwargs: Any) -> dict[Any, float]:
        """Probability of both labels, from the score."""
        score = np.array([self.predict_score_one(x)])
        p = float(self._calibration.probability(score)[0])
        return {self.negative: 1.0 - p, self.positive: p}

    @property
    def auc_(self) -> float:
        """AUC of the scores that rows had before they were learnt from, over pairs close in time."""
        return self._learner.prequential_auc()

    def __copy__(self) -> "RiverAUC":
        """A deep copy: a row that one of the two learns from would change the model of the other."""
        return copy.deepcopy(self)

    def _entries(self, numbers: dict[Hashable, float], grow: bool) -> tuple[np.ndarray, np.ndarray]:
        """Columns, ascending, and values of a row; unknown names get columns or are left out."""
        found: dict[int, float] = {}
        for key, value in numbers.items():
            column = self._column(key, grow)
            if column is not None and value != 0.0:
                found[column] = found.get(column, 0.0) + value
        columns = np.array(sorted(found), dtype=np.int32)  # as scipy's sparse rows
        return columns, np.array([found[column] for column in columns.tolist()])

    def _column(self, key: Hashable, grow: bool) -> int | None:
        if self.n_features is not None:
            return murmurhash3_32(str(key), positive=True) % self.n_features
        if grow:
            column = self.vocabulary.setdefault(key, len(self.vocabulary))
            stream = self._learner._solver.model
            if column >= stream.n_features:  # room for names to come, too
                extra = max(64, stream.n_features) if self._sparse else max(8, stream.n_features // 4)
                self._learner._accept(Solver(stream.widened(extra)))
            return column
        return self.vocabulary.get(key)

    def _rows(self, columns: np.ndarray, values: np.ndarray) -> Rows:
        if self._sparse:
            return CSR(*map(read_only, (values, columns, np.array([0, len(columns)], dtype=np.int32))))
        row = np.zeros((1, self._learner._solver.model.n_features))
        row[0, columns] = values
        return read_only(row)

    def _score(self, columns: np.ndarray, values: np.ndarray) -> float:
        """The score; the probabilities, which put its 0, are fitted anew after an eighth more rows, or 64."""
        model: StreamModel = self._learner._model("coef_")
        if model.state.rows - self._calibrated_at >= min(max(self._calibrated_at // 8, 1), RECENT):
            self._threshold, self._calibration = model.threshold_and_calibration()
            self._calibrated_at = model.state.rows
        return float(model.weights(columns) @ values) - model.middle() - self._threshold
