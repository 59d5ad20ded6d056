"""The search by cross-validated AUC: which values of ``l2`` are tried, and which one is taken."""

import functools
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

import numpy as np

from ..pairs.losses import Loss
from ..pairs.push import push_rule
from ..validation.parameters import Rule, is_whole, one_of
from .defaults import default_l2, within_class_variance
from .folds import FOLD_TOL, FoldResults, rises_after_fall
from .moments import Moments
from .newton import Limits
from .solver import Problem

GRID_DECADES = 6.0
CHANCE = 0.5  # standard errors: a smaller mean difference has the other sign in one case of three or more
ROUNDING = 1e-9  # a difference of mean AUCs that may be rounding alone
MAX_WIDENING = 3  # times that an automatic grid is extended at an end, by two values each

TOP_PUSHES = 1.0, 2.0, 4.0, 8.0  # tried by partial AUC

CrossValidate = Callable[..., FoldResults]  # (problem, loss, l2s descending, limits, start=) -> FoldResults


l2s_rule = Rule(
    lambda value: value >= 2 if is_whole(value) else np.ndim(value) == 1 and np.size(value) > 0,
    "a whole number of at least 2 or a list of numbers",
)

pushes_rule = one_of("auto") | Rule(
    lambda value: (
        np.ndim(value) == 1 and np.size(value) > 0 and all(push_rule.allows(push) for push in value)
    ),
    "a list of finite numbers of at least 1",
)


def pushes_to_try(pushes: Any, max_fpr: float | None) -> list[float]:
    """The pushes to try, in ascending order."""
    if isinstance(pushes, str):
        return list(TOP_PUSHES) if max_fpr is not None else [1.0]
    return [float(push) for push in np.unique(np.asarray(pushes, dtype=float))]


def l2_grid(l2s: Any, loss: Loss, moments: Moments) -> np.ndarray:
    """The values to try, in ascending order."""
    if isinstance(l2s, Integral):
        top = loss.mean_curvature() * within_class_variance(moments)
        return top * np.logspace(-GRID_DECADES, 0.0, int(l2s))
    grid = np.unique(np.asarray(l2s, dtype=float))
    if not (np.all(np.isfinite(grid)) and grid[0] >= 0.0):
        raise ValueError(f"AUCClassifierCV: l2s must be finite and at least 0; got {l2s!r}.")
    return grid


def grid_ratio(n_values: int) -> float:
    """Ratio of neighbours in an automatic grid."""
    return 10.0 ** (GRID_DECADES / (n_values - 1))


class L2Search:
    """Held-out AUC of the values of ``l2`` tried so far, for one problem and loss.

    Parameters
    ----------
    problem : Problem
    loss : Loss
    cross_validate : callable
        Fits descending values of ``l2`` on every fold of the problem.
    limits : Limits
        Of the final fit; folds stop earlier.

    Attributes
    ----------
    l2s : ndarray of shape (n_values,)
        Ascending.
    scores : ndarray of shape (n_values, n_folds)
    coefs : ndarray of shape (n_values, n_features)
        Weights from which to start a fit of all rows.
    variances : ndarray of shape (n_values, n_features)
        Of the weights, among the folds.
    held_out : ndarray of shape (n_values, n_held_out)
        Scores of held-out rows, as in ``FoldResults``.
    """

    def __init__(self, problem: Problem, loss: Loss, cross_validate: CrossValidate, limits: Limits) -> None:
        self.problem, self.loss, self._limits = problem, loss, limits
        self._cross_validate = functools.partial(cross_validate, problem, loss)
        self.l2s = np.empty(0)
        self.scores, self.coefs = np.empty((0, 0)), np.empty((0, problem.products.n_features))
        self.variances = self.coefs
        self.held_out = np.empty((0, 0), np.float32)

    def try_values(self, l2s: np.ndarray, start: np.ndarray | None = None) -> None:
        """Fit the folds for more values, from the largest down, beginning with the weights ``start``."""
        limits = Limits(max(self._limits.tol, FOLD_TOL), self._limits.max_iter)
        descending = np.sort(l2s)[::-1]
        found = self._cross_validate(descending, limits, start=start)
        tried = np.concatenate([self.l2s, descending])
        order = np.argsort(tried)
        self.l2s = tried[order]
        self.scores = np.vstack([self.scores.reshape(-1, found.scores.shape[1]), found.scores])[order]
        self.held_out = np.vstack([self.held_out.reshape(-1, found.held_out.shape[1]), found.held_out])[order]
        self.coefs = np.vstack([self.coefs, found.coefs])[order]
        self.variances = np.vstack([self.variances, found.variances])[order]
        if not found.exact:
            self._refine_doubtful()

    def _refine_doubtful(self) -> None:
        """Solve the folds of the best ``l2`` to ``tol`` while its AUC may be too high by early stopping."""
        refined: set[int] = set()
        while (best := self.best()) not in refined and rises_after_fall(self.scores.mean(axis=1)[best:]):
            l2, start = self.l2s[best : best + 1], self.coefs[best]
            found = self._cross_validate(l2, self._limits, start=start)
            self.scores[best], self.held_out[best] = found.scores[0], found.held_out[0]
            self.variances[best] = found.variances[0]
            refined.add(best)

    def try_near(self, other: "L2Search", ratio: float) -> None:
        """Try values near the best one of another scaling or loss, and beyond while the best is at an end.

        A loss that is not convex is given up where the first values are no better than the other loss.
        """
        best, products = other.best(), (other.problem.products, self.problem.products)
        units = [default_l2(search.loss, search.problem.moments, 1.0) for search in (self, other)]
        near = other.l2s[best] * (units[0] / units[1])
        start = products[1].scaled_coef(products[0].coef(other.coefs[best]))
        self.try_values(near * ratio ** np.array([-1.0, 0.0]), start)
        for _ in range(2 * MAX_WIDENING):
            best = self.best()
            hopeless = not self.loss.convex and self.scores[best].mean() <= other.best_scores().mean()
            if 0 < best < len(self.l2s) - 1 or hopeless:
                return
            self.try_values(self.l2s[[best]] * (ratio if best else 1.0 / ratio), self.coefs[best])

    def widen(self, ratio: float, choose: Callable[["L2Search"], int]) -> None:
        """Try values beyond an end of the grid while the chosen one is at that end."""
        for _ in range(MAX_WIDENING):
            chosen = choose(self)
            if 0 < chosen < len(self.l2s) - 1:
                return
            step = ratio if chosen else 1.0 / ratio
            self.try_values(self.l2s[chosen] * step ** np.arange(1, 3))

    def best(self) -> int:
        """Index of the highest mean AUC; among equals, that of the largest ``l2``."""
        mean = self.scores.mean(axis=1)
        return len(mean) - 1 - int(np.argmax(mean[::-1]))

    def best_scores(self) -> np.ndarray:
        """Held-out AUC of each fold at the best value."""
        return self.scores[self.best()]

    def is_better_than(self, other: "L2Search") -> bool:
        """Whether the mean held-out AUC at the best value is higher, by more than rounding."""
        return bool(self.best_scores().mean() > other.best_scores().mean() + ROUNDING)

    def length_to_match(self, k: int, other: "L2Search", m: int) -> float:
        """What the weights at one value are multiplied by so that held-out scores spread as at another's."""
        return float(other.held_out[m].std(dtype=float) / self.held_out[k].std(dtype=float)) or 1.0

    def nearest(self, default: float) -> int:
        """Index of the value nearest to the default among those that are not clearly worse than the best."""
        best = self.scores[self.best()]
        good = [k for k, scores in enumerate(self.scores) if not clearly_worse(scores, best)]
        distance = np.abs(np.log(np.maximum(self.l2s[good], 1e-300) / default))
        return good[int(np.argmin(distance))]

    def largest_within_error(self) -> int:
        """Index of the largest value whose mean AUC is within one standard error of the best."""
        mean, best, n_folds = self.scores.mean(axis=1), self.best(), self.scores.shape[1]
        error = self.scores[best].std(ddof=1) / np.sqrt(n_folds) if n_folds > 1 else 0.0
        return int(np.flatnonzero(mean >= mean[best] - error).max())


def try_others(
    searches: dict[float, L2Search], others: Iterable[float], try_next: Callable[[float], L2Search]
) -> None:
    """Add searches for further settings until one is clearly worse than the best so far."""
    for setting in others:
        best = searches[best_setting(searches)].best_scores()
        searches[setting] = try_next(setting)
        if clearly_worse(searches[setting].best_scores(), best):
            return  # still further settings lie on the same side


def best_setting(searches: dict[float, L2Search]) -> float:
    """The setting with the highest mean AUC at its best ``l2``; among equals the first."""
    return max(searches, key=lambda setting: searches[setting].best_scores().mean())


def first_good_setting(searches: dict[float, L2Search]) -> float:
    """The first setting that is not clearly worse than the best."""
    best = searches[best_setting(searches)].best_scores()
    return next(setting for setting in searches if not clearly_worse(searches[setting].best_scores(), best))


def clearly_worse(scores: np.ndarray, best: np.ndarray) -> bool:
    """Whether held-out AUCs lie below the best ones by more than chance explains.

    Differences are taken fold by fold: folds differ far more among each other than two fits on one fold.
    """
    difference, error = best - scores, 0.0
    if len(difference) > 1:
        error = difference.std(ddof=1) / np.sqrt(len(difference))
    return bool(difference.mean() > max(ROUNDING, CHANCE * error))
