"""OnlineAUCClassifier: any convex pair loss in one pass, over rows in any order."""

import warnings
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..base import ProbabilityMixin
from ..kernels.rows import CSR
from ..kernels.scales import HUGE
from ..pairs.losses import Loss, get_loss, loss_rule
from ..pairs.slopes import slope_pieces
from ..stochastic.engine.estimator import Solver
from ..stochastic.engine.in_place import InPlaceAUCClassifier
from ..stochastic.engine.loop import Data
from ..validation.columns import warn_of_sizes
from ..validation.parameters import at_least_one, boolean, non_negative_integer, none, one_of, up_to_a_million
from .constants import RECENT
from .learning import Hyper
from .model import Stream, StreamModel


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineAUCClassifier(ProbabilityMixin, InPlaceAUCClassifier):
    r"""Any convex pair loss from a stream: one pass, fixed memory, rows in any order, nothing to tune.

    .. math:: \min_w \; \frac{1}{n_+ n_-} \sum_{i \in +,\, j \in -}
              \ell\bigl(w^\top (x_i - x_j)\bigr) + \frac{\mathtt{l2}}{2} \|w\|^2

    Each row is compared with the last 64 scores of the other class; the mean slope of the loss over these
    pairs gives an AdaGrad step. A random sample of each class's past rows is kept, and a class that falls
    behind is replayed from it, so that files sorted by label, bursts of one class and late positives do
    little harm. The model is the average of the iterates, iterate t with weight t^2. ``score`` is AUC.

    Parameters
    ----------
    loss : {"squared_hinge", "hinge", "logistic", "squared", "exponential"} or Loss, default="squared_hinge"
        Loss of a margin, the score of a positive row less that of a negative one. A pair in the wrong order
        has the slope of a tie, whatever the loss, so that outliers count no more than other rows.
    step_size : float, default=0.2
        Size of the steps, at most 1e6: about ``step_size * t**(-1/4)`` for a weight that all rows move.
    reservoir : int, default=4096
        Rows of each class kept for replay, fewer if they took over 32 MB, sparse ones 16; 0 turns it off.
    l2 : float, default=0.0
        Penalty on the weights of the rows as they are learnt from: standardised and divided by the root of
        the number of columns that vary, or divided by the usual row norm.
    center : {"auto", True, False}, default="auto"
        Whether columns are standardised, by running means and variances; "auto" does it for dense rows.
        Sparse rows are divided by their usual norm, and their columns stay as they are, as suits words, but
        for those with values over 16 times larger or smaller than usual. ``coef_`` is for rows as they come.
    half_life : float, optional
        For streams that drift: number of rows after which a row counts half, at least 1. It should hold some
        100 rows of the rarer class. By default nothing is forgotten, and steps get smaller.
    max_iter : int, default=1
        Passes of ``fit``.
    shuffle : bool, default=True
        Visit the rows of ``fit`` in a new random order in each pass.
    random_state : int, RandomState or None, default=None
        Seed of the order in ``fit``. ``partial_fit`` does not depend on it.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
        Puts the decision where both classes are equally likely, so that `predict` gives the likelier class.
    calibration_ : Calibration
        Log-odds by decision, for `predict_proba`, from the scores rows had before they were learnt from.
    classes_ : ndarray of shape (2,)
    auc_ : float
        AUC of the scores that rows had before they were learnt from (prequential AUC), over pairs of rows
        close in time, in the first pass. With ``half_life``, older rows count less. NaN before any pair.
    auc_coverage_ : float
        Number of such pairs, as a share of those to expect if the classes are mixed. Where it is small, the
        classes come one after the other, and ``auc_`` says little: below 1/2, reading that gives a warning.
    n_seen_ : int
        Rows learnt from.
    class_count_ : ndarray of shape (2,)
        The same by class, in the order of ``classes_``.
    n_iter_ : int
        Passes made.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import OnlineAUCClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = OnlineAUCClassifier(random_state=0).fit(X, y)
    >>> print(f"{model.score(X, y):.3f}, before learning {model.auc_:.2f}")
    0.99..., before learning 0.9...
    """

    _rules: ClassVar = {
        "loss": loss_rule,
        "step_size": up_to_a_million,
        "reservoir": non_negative_integer,
        "center": boolean | one_of("auto"),
        "half_life": at_least_one | none,
    }
    _former_parameters: ClassVar[tuple[str, ...]] = ("score_range", "degree")
    loss: str | Loss = field(default="squared_hinge", kw_only=False)
    step_size: float = 0.2
    reservoir: int = 4096
    l2: float = 0.0
    center: bool | str = "auto"
    half_life: float | None = None
    max_iter: int = 1
    tol: None = field(default=None, init=False)
    warm_start: bool = field(default=False, init=False)

    def _follow_from(self, name: str) -> dict[str, Any]:
        model = self._model(name)
        threshold, calibration = model.threshold_and_calibration()
        coef, intercept = model.weights()[None, :], -np.array([model.middle() + threshold])
        return {"coef_": coef, "intercept_": intercept, "calibration_": calibration}

    @property
    def auc_(self) -> float:
        if (share := self._model("auc_").recent.prequential.coverage()) < 0.5:
            problem = f"rows of the two classes came close only {share:.0%} as often as in a mixed stream"
            warnings.warn(f"auc_ says little: {problem}. Shuffle the rows, or score others.", stacklevel=2)
        return self.prequential_auc()

    def prequential_auc(self) -> float:
        """``auc_`` without its warning."""
        return self._model("auc_").recent.prequential.value()

    @property
    def auc_coverage_(self) -> float:
        return self._model("auc_coverage_").recent.prequential.coverage()

    @property
    def n_seen_(self) -> int:
        return int(self._model("n_seen_").state.rows)

    @property
    def class_count_(self) -> np.ndarray:
        return self._model("class_count_").classes.rows.astype(int)

    def __sklearn_is_fitted__(self) -> bool:
        return "_solver" in vars(self) or "coef_" in vars(self)  # a model file has the weights only

    def _model(self, name: str) -> StreamModel:
        """The model, for the attribute ``name``; while the first rows are held back, one learnt from them."""
        check_is_fitted(self)
        if not hasattr(self, "_solver"):
            raise AttributeError(
                f"This OnlineAUCClassifier comes from a model file, which holds the weights only, no {name}; "
                "to keep it, use a checkpoint (aucmax.io.save_checkpoint, aucmax.io.load_checkpoint)."
            )
        return cast(StreamModel, self._solver.model.with_model(self._hyper()).model)

    def _hyper(self, first_pass: bool = True) -> Hyper:
        """What the parameters mean to the kernel."""
        slopes, at_zero = slope_pieces(get_loss(self.loss))
        decay = 1.0 if self.half_life is None else 0.5 ** (1.0 / self.half_life)
        step_size, reshuffled = float(self.step_size), self.shuffle and not first_pass
        return Hyper(step_size, float(self.l2) / at_zero, decay, first_pass, reshuffled, slopes)

    def _start(self, w: np.ndarray) -> Solver:
        center = self.center if self.center == "auto" else bool(self.center)  # perhaps a NumPy bool
        return Solver(Stream(len(w), center, self.reservoir))

    def _pass(self, solver: Solver, data: Data) -> Solver:
        first = solver.model.model is None
        return Solver(self._chunk(solver, data, first).model.with_model(self._hyper(first)))

    def _chunk(self, solver: Solver, data: Data, first_pass: bool = True) -> Solver:
        if solver.model.model is None and solver.model.center is not False and not isinstance(data.X, CSR):
            warn_of_sizes(self, data.X[data.order[:RECENT]], HUGE)
        return Solver(solver.model.learn(self._hyper(first_pass), data.X, data.y, data.order))
