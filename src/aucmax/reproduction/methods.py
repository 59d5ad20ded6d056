"""The papers' columns and ours: each an estimator with the grid its paper searches."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sklearn.linear_model import LogisticRegression

from .. import (
    FSAUC,
    OAM,
    OPAUC,
    SAUC,
    SOLAM,
    SPAM,
    SPDAM,
    VRSPAM,
    AUCClassifier,
    OnlineAUCClassifier,
    RegSOLAM,
    UniExp,
)

WIDE = 1000  # columns from which OPAUC keeps a sketch of 50 columns, as its paper does


class Method(NamedTuple):
    """A column of a table.

    ``make(n_features)`` gives the estimator. The ``grid`` is searched on the training rows; None
    stands for the whole path of ``AUCClassifierCV``. ``squared`` marks those that minimise
    the squared pair loss, all of which have the same optimum. With ``slow_from`` columns or
    more a row costs so much that fewer rows are tuned on and fewer splits are made.
    """

    name: str
    make: Callable[[int], Any]
    grid: Mapping[str, Sequence] | None
    squared: bool = False
    slow_from: float = math.inf

    def thinned(self) -> "Method":
        """With every third value of the grid, for quick runs."""
        grid = self.grid and {name: values[::3] for name, values in self.grid.items()}
        return self._replace(grid=grid)


def powers(base: float, first: int, last: int, step: int = 1) -> list[float]:
    """``base`` to the powers from ``first`` to ``last``."""
    return [base**k for k in range(first, last + 1, step)]


PACES = [float(pace) for pace in range(1, 101, 9)]  # [1 : 9 : 100]


def _opauc(n_features: int) -> OPAUC:
    return OPAUC(rank=50 if n_features >= WIDE else None, random_state=0)


_METHODS = (
    Method(
        "SOLAM",
        lambda d: SOLAM(random_state=0),
        {"radius": powers(10.0, -1, 5), "step_size": PACES},
        squared=True,
    ),
    Method(
        "regSOLAM",
        lambda d: RegSOLAM(random_state=0),
        {"l2": powers(10.0, -5, 1), "step_size": PACES},
        squared=True,
    ),
    Method(
        "SPAM-L2",
        lambda d: SPAM(random_state=0),
        {"l2": powers(10.0, -5, 1), "step_size": [1.0, 10.0, 100.0]},
        squared=True,
    ),
    Method(
        "SPAM-NET",
        lambda d: SPAM(random_state=0),
        {"l2": powers(10.0, -5, -1), "l1": powers(10.0, -6, -3), "step_size": [1.0, 10.0]},
        squared=True,
    ),
    Method(
        "VRSPAM-L2", lambda d: VRSPAM(max_iter=15, random_state=0), {"l2": powers(10.0, -5, 1)}, squared=True
    ),
    Method(
        "VRSPAM-NET",
        lambda d: VRSPAM(max_iter=15, random_state=0),
        {"l2": powers(10.0, -5, -1), "l1": powers(10.0, -6, -3)},
        squared=True,
    ),
    Method("SPDAM", lambda d: SPDAM(random_state=0), {"l2": powers(10.0, -5, 1)}, squared=True),
    Method(
        "FSAUC",
        lambda d: FSAUC(random_state=0),
        {"radius": powers(10.0, -1, 5), "step_size": powers(2.0, -10, 10, 4)},
        squared=True,
        slow_from=WIDE,
    ),
    Method(
        "SAUC-H",
        lambda d: SAUC("hinge", random_state=0),
        {"radius": powers(10.0, -2, 2), "step_size": powers(10.0, -2, 2)},
    ),
    Method(
        "SAUC-L",
        lambda d: SAUC("logistic", random_state=0),
        {"radius": powers(10.0, -2, 2), "step_size": powers(10.0, -2, 2)},
    ),
    Method(
        "OPAUC",
        _opauc,
        {"step_size": powers(2.0, -12, 2, 2), "l2": powers(2.0, -10, -2, 8)},
        squared=True,
        slow_from=WIDE,
    ),
    Method("OAMseq", lambda d: OAM("sequential", random_state=0), {"C": powers(2.0, -12, 4, 2)}),
    Method("OAMgra", lambda d: OAM("gradient", random_state=0), {"C": powers(2.0, -14, 2, 2)}),
    Method("online Uni-Exp", lambda d: UniExp(random_state=0), {"step_size": powers(2.0, -8, 6, 2)}),
    Method("B-SVM-OR", lambda d: AUCClassifier("hinge", n_jobs=1), None, slow_from=WIDE),
    Method("B-LS-SVM", lambda d: AUCClassifier("squared", n_jobs=1), None, squared=True),
    Method("AUCClassifierCV", lambda d: AUCClassifier(n_jobs=1), None),
    Method("OnlineAUCClassifier", lambda d: OnlineAUCClassifier(random_state=0), {}),
    Method("LogisticRegression", lambda d: LogisticRegression(max_iter=1000), {"C": powers(10.0, -2, 4)}),
)

METHODS = {method.name: method for method in _METHODS}
OURS = ("AUCClassifierCV", "OnlineAUCClassifier", "LogisticRegression")  # further columns of every table
