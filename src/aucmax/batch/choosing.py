"""Choose penalty, scaling and push by search, and calibrate: what estimators with cross-validation share."""

from collections.abc import Callable
from numbers import Integral
from typing import Any, Protocol

import numpy as np

from ..calibration import MAX_PIECES, Calibration, fit_calibration
from ..held_out import HeldOutScores
from .defaults import check_l2
from .scaling import SPARSE_EXPONENTS, scaling_exponent
from .search import L2Search, best_setting, first_good_setting, grid_ratio, l2_grid, try_others
from .solver import Problem


class ScalableColumns(Protocol):
    """Columns of rows that can be scaled."""

    @property
    def sparse(self) -> bool: ...

    def problem(self, exponent: float) -> Problem: ...


class SettingSearch:
    """The search for estimators with the parameters ``l2s``, ``standardize`` and ``calibration``."""

    l2s: Any
    standardize: bool | float | str
    calibration: str

    l2s_: np.ndarray
    scores_: np.ndarray
    standardize_: float
    push_: float
    calibration_: Calibration
    held_out_: HeldOutScores

    def _search(
        self,
        columns: ScalableColumns,
        pushes: list[float],
        search: Callable[[Problem, float], L2Search],
        choose: Callable[[L2Search], int],
    ) -> L2Search:
        """Try values of ``l2`` for the first scaling and push, then some near the best one for others."""
        several = isinstance(self.standardize, str) and columns.sparse
        exponents = SPARSE_EXPONENTS if several else [scaling_exponent(self.standardize, columns.sparse)]
        first = search(columns.problem(exponents[0]), pushes[0])
        grid = l2_grid(self.l2s, first.loss, first.problem.moments)
        check_l2(self, first.loss, float(grid[0]))
        first.try_values(grid)
        automatic = isinstance(self.l2s, Integral)
        ratio = grid_ratio(len(grid)) if automatic else 1.0
        if automatic:
            first.widen(ratio, choose)

        def tried(next_one: L2Search, near: L2Search) -> L2Search:
            if automatic:
                next_one.try_near(near, ratio)
            else:
                next_one.try_values(grid, near.coefs[-1])
            return next_one

        def at_exponent(exponent: float) -> L2Search:
            return tried(search(columns.problem(exponent), pushes[0]), first)

        by_exponent = {exponents[0]: first}
        try_others(by_exponent, exponents[1:], at_exponent)
        self.standardize_ = first_good_setting(by_exponent)
        scaled = by_exponent[self.standardize_]

        by_push = {pushes[0]: scaled}
        try_others(
            by_push, pushes[1:], lambda push: tried(search(scaled.problem, push), by_push[max(by_push)])
        )
        self.push_ = best_setting(by_push)
        return by_push[self.push_]

    def _calibrate(self, scores: np.ndarray, signed: np.ndarray) -> float:
        """Set ``calibration_`` and ``held_out_`` from held-out scores; return the score of equal odds."""
        calibration = fit_calibration(scores, signed, 1 if self.calibration == "sigmoid" else MAX_PIECES)
        middle = calibration.middle()
        self.calibration_ = calibration.shifted(-middle)
        self.held_out_ = HeldOutScores.of(scores - middle, signed)
        return middle
