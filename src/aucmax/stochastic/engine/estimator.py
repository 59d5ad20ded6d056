"""How the stochastic methods are fitted: ``fit`` on all rows, ``partial_fit`` on the chunks of a stream."""

import copy
import math
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from sklearn.utils import check_random_state

from ...base import LinearAUCClassifier, restored_on_error
from ...kernels.interrupts import defer_interrupts
from ...kernels.rows import as_rows
from ...validation.arrays import check_labelled
from ...validation.convergence import NotConverged
from ...validation.errors import DataError
from ...validation.labels import check_classes, check_known_labels, distinct_labels, list_labels
from ...validation.parameters import (
    Rule,
    boolean,
    check_params,
    non_negative,
    none,
    positive,
    positive_integer,
    random_state,
)
from ...validation.weights import check_weights, signed_weights
from . import docstrings
from .callbacks import CallbackSupportMixin, PassCallbacks, with_callbacks
from .loop import Data, visiting_order

Self = TypeVar("Self", bound="StochasticAUCClassifier")

_ignore_overflow = np.errstate(over="ignore", invalid="ignore")  # `_accept` rejects what is not finite


class Solver(NamedTuple):
    """Everything that a method keeps between two rows: the model, its scalars (state), its other arrays."""

    model: Any  # a LinearModel, or the Stream of OnlineAUCClassifier
    state: tuple = ()
    memory: tuple | None = None


def copy_solver(part: Any) -> Any:
    """``copy.deepcopy``, several times faster for nested tuples of arrays and numbers."""
    if isinstance(part, np.ndarray):
        return part.copy()
    if isinstance(part, int | float | None):
        return part
    if isinstance(part, tuple):
        parts = map(copy_solver, part)
        return type(part)(*parts) if hasattr(part, "_fields") else tuple(parts)
    return copy.deepcopy(part)


# Rules of parameters that several methods have; the `_rules` of a method has only its own.
RULES: dict[str, Rule] = {
    "max_iter": positive_integer,
    "tol": non_negative | none,
    "shuffle": boolean,
    "warm_start": boolean,
    "random_state": random_state,
    "l2": non_negative,
    "l1": non_negative,
    "radius": positive,
    "step_size": positive,
    "average": boolean,
}


@dataclass(kw_only=True, eq=False, repr=False)
class StochasticAUCClassifier(CallbackSupportMixin, LinearAUCClassifier):
    """A method that makes up to ``max_iter`` passes over the rows.

    A method defines its initial solver (``_start``), what it computes from all rows before the first pass
    (``_prepare``; by default, updates of an average are deferred), and one pass (``_pass``).
    """

    max_iter: int = 15
    tol: float | None = None
    shuffle: bool = True
    warm_start: bool = False
    random_state: Any = None

    _step_parameter: ClassVar[str] = "step_size"  # the parameter to lower if the method diverges

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._rules = {name: rule for name, rule in RULES.items() if hasattr(cls, name)} | cls._rules
        docstrings.complete(cls)

    def _start(self, w: np.ndarray) -> Solver:
        raise NotImplementedError

    def _prepare(self, solver: Solver, data: Data) -> tuple[Solver, Data]:
        return solver, data.defer_average(solver.model)

    def _pass(self, solver: Solver, data: Data) -> Solver:
        raise NotImplementedError

    @with_callbacks
    @_ignore_overflow
    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from all rows, in up to ``max_iter`` passes.

        An error or an interrupt leaves the estimator as it was before the call.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Dense or CSR, float32 or float64, used without a copy; other forms are converted once.
        y : array-like of shape (n_samples,)
            Two labels of any type; the second in sorted order is the positive class.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight two makes a step of twice the length, about as two rows would.

        Returns
        -------
        self
        """
        check_params(self)
        with restored_on_error(self):
            self._fit(X, y, sample_weight)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        previous = self.coef_[0] if self.warm_start and hasattr(self, "coef_") else None
        X, signed = self._validate(X, y, sample_weight)
        w = np.zeros(X.shape[1]) if previous is None or len(previous) != X.shape[1] else previous
        rows, rng = as_rows(X), check_random_state(self.random_state) if self.shuffle else None
        solver, data = self._prepare(self._start(w), Data.of(rows, signed))
        callbacks = PassCallbacks(self, self.max_iter, X, y)
        for n_iter in range(1, self.max_iter + 1):
            callbacks.begin_pass()
            with defer_interrupts():
                solver = self._pass(solver, data.in_order(visiting_order(rows, rng)))
            publish = n_iter == self.max_iter or self.tol is not None or callbacks.active
            if len(data.deferred_average) and not publish:
                self._check_finite(solver, solver.model.threshold())
                continue
            self._accept(solver._replace(model=data.add_deferred(solver.model)))
            self.n_iter_ = n_iter
            converged = False
            if self.tol is not None:
                converged, w = self._converged(w), self.coef_[0]
            if callbacks.end_pass() or converged:
                break
        else:
            if self.tol is not None:
                warnings.warn(self._not_converged(), stacklevel=4)
        callbacks.end_fit()

    def _converged(self, before: np.ndarray) -> bool:
        """Whether the last pass moved the weights by at most ``tol`` of their norm."""
        after = self.coef_[0]
        return self.tol is not None and bool(
            np.linalg.norm(after - before) <= self.tol * np.linalg.norm(after)
        )

    def _not_converged(self) -> NotConverged:
        problem = (
            f"{type(self).__name__} made {self.max_iter} passes, and the last one still moved the "
            f"weights by more than the tolerance, {self.tol:g} of their norm"
        )
        return NotConverged(problem, "raise max_iter or tol")

    def _accept(self, solver: Solver) -> None:
        """Publish the solver's result, or raise a ValueError if it is not finite."""
        w, threshold = solver.model.result(), solver.model.threshold()
        self._check_finite(solver, threshold, w.sum())
        self._solver = solver
        self._set_coef(w, threshold)

    def _check_finite(self, solver: Solver, *results: float) -> None:
        """The model's ``sqnorm``, where it has one, is finite only if all weights are."""
        scalars = [part for part in solver.state if isinstance(part, float)]
        if not all(map(math.isfinite, [*scalars, *results, getattr(solver.model, "sqnorm", 0.0)])):
            name = self._step_parameter
            raise ValueError(
                f"{type(self).__name__} diverged: its weights are no longer finite. Lower {name} (now "
                f"{getattr(self, name)}) or scale the rows; an earlier model is kept."
            )


class OnlineAUCClassifierBase(StochasticAUCClassifier):
    """A method that can also learn from a stream; ``_chunk`` visits the rows of one chunk."""

    def _chunk(self, solver: Solver, data: Data) -> Solver:
        return self._pass(solver, data)

    @_ignore_overflow
    def partial_fit(self: Self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a chunk of a stream, row by row in the order given.

        However a stream is cut into chunks, the result is the same to the bit. A chunk may
        hold one class only. An error leaves the model as it was before the call; Ctrl-C waits until the
        chunk is learnt.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            As in ``fit``.
        y : array-like of shape (n_samples,)
            Labels among the two classes.
        classes : array-like of two labels, optional
            Needed in the first call where its rows are all of one class.
        sample_weight : array-like of shape (n_samples,), optional
            As in ``fit``; a row of weight zero is ignored.

        Returns
        -------
        self
        """
        check_params(self)
        with defer_interrupts(), restored_on_error(self):
            self._partial_fit(X, y, classes, sample_weight)
        return self

    def _partial_fit(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> None:
        first = not hasattr(self, "_solver")
        if first and hasattr(self, "coef_"):
            raise ValueError(
                f"This {type(self).__name__} comes from a model file, which has no training state to "
                f"continue from; use a checkpoint (aucmax.io.load_checkpoint), or fit a new one."
            )
        X, y = check_labelled(self, X, y, reset=first)
        self._set_classes(y, classes, first)
        signed = signed_weights(y, self.classes_, check_weights(sample_weight, len(y)))
        solver = self._start(np.zeros(X.shape[1])) if first else self._solver
        rows = as_rows(X)
        self._take_chunk(solver, Data.of(rows, signed).in_order(visiting_order(rows, None)))
        self.n_iter_ = getattr(self, "n_iter_", 1)

    def _take_chunk(self, solver: Solver, data: Data) -> None:
        """Learn from a chunk, on a copy, so that an error leaves the model unchanged."""
        self._accept(self._chunk(copy_solver(solver), data))

    def _set_classes(self, y: np.ndarray, classes: Any, first: bool) -> None:
        if first:
            if classes is None and len(found := distinct_labels(y)[0]) == 1:
                problem = f"the first rows are all of class {list_labels(found)}"
                raise DataError(problem, remedy="name the two classes: {classes=[...]}")
            self.classes_ = check_classes(y, classes)
        elif classes is not None and not np.array_equal(np.unique(classes), self.classes_):
            raise ValueError(
                f"classes={list(classes)} differs from those of the first call, {self.classes_.tolist()}."
            )
        check_known_labels(y, self.classes_)
