"""The methods that the papers compare, and ours: each an estimator with the grid that its paper searches."""

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator, clone
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
from ..kernels.jit import source_digest

MAX_TUNING_VALUES = 2_000_000  # largest number of values in the rows used for tuning
WIDE = 1000  # data with at least this many features count as wide


class Method(NamedTuple):
    """A method that tables and figures compare.

    The ``grid`` is searched on the training rows; None stands for the values of ``protocol.l2_path``.
    ``squared`` marks methods that minimise the squared pair loss, all of which have the same optimum. On wide
    data, methods that are ``slow_if_wide`` are evaluated on fewer splits and tuned on fewer rows. Where the
    steps of a method depend on the number of rows, it has parameters for ``screening`` instead: on wide data
    the whole grid is tried with them, on one inner fold, and the better part of it without them, on all.
    """

    name: str
    model: BaseEstimator
    grid: Mapping[str, Sequence] | None
    squared: bool = False
    slow_if_wide: bool = False
    screening: Mapping[str, Any] = {}
    if_wide: Mapping[str, Any] = {}  # parameters on wide data
    reference: bool = False  # added to every table
    max_tuning_values: int = MAX_TUNING_VALUES

    def make(self, n_features: int) -> Any:
        """A new estimator for data with this many features."""
        return clone(self.model).set_params(**(self.if_wide if n_features >= WIDE else {}))

    def is_slow(self, n_features: int) -> bool:
        """Whether the method is slow on data with this many features."""
        return self.slow_if_wide and n_features >= WIDE

    def source_digest(self) -> str:
        """Digest of the estimator's source file and of all that it imports from the package.

        Two records with the same digest, parameters and package versions come from the same code. It is
        empty for estimators of other packages, whose versions are recorded.
        """
        if not type(self.model).__module__.startswith("aucmax."):
            return ""
        return source_digest(Path(inspect.getfile(type(self.model))))[:12]

    def with_coarse_grid(self) -> "Method":
        """The same method with every third value of the grid, for quick runs."""
        return self._replace(grid=self.grid and {name: values[::3] for name, values in self.grid.items()})


def powers(base: float, first: int, last: int, step: int = 1) -> list[float]:
    """``base`` to the powers from ``first`` to ``last``."""
    return [base**k for k in range(first, last + 1, step)]


_SEED: Any = {"random_state": 0}
_BATCH: Any = {"standardize": False, "n_jobs": 1}  # the papers penalise the columns as they are
_L2 = powers(10.0, -5, 5)
_L1 = powers(10.0, -5, -1)  # the papers go on to 1e5, but from 1 on the minimiser on unit rows is zero
_STEPS = [float(step) for step in range(1, 101, 9)]  # the papers' [1 : 9 : 100]
_RADII = powers(10.0, -1, 5)
_SAUC_GRID = {"radius": powers(10.0, -2, 2), "step_size": powers(10.0, -2, 2)}
_OPAUC_GRID = {"step_size": powers(2.0, -12, 2, 2), "l2": powers(2.0, -10, -2, 8)}
_FSAUC_GRID = {"radius": _RADII, "step_size": powers(2.0, -10, 10, 4)}
_ELASTIC_NET_GRID = {"l2": _L2, "l1": _L1}
_SKETCH = {"rank": 50}  # as OPAUC's paper does on wide data

_METHODS = (
    Method("SOLAM", SOLAM(**_SEED), {"radius": _RADII, "step_size": _STEPS}, squared=True),
    Method("regSOLAM", RegSOLAM(**_SEED), {"l2": _L2, "step_size": _STEPS}, squared=True),
    Method("SPAM-L2", SPAM(**_SEED), {"l2": _L2, "step_size": [1.0, 10.0, 100.0]}, squared=True),
    Method("SPAM-NET", SPAM(**_SEED), {**_ELASTIC_NET_GRID, "step_size": [1.0, 10.0]}, squared=True),
    Method("VRSPAM-L2", VRSPAM(max_iter=15, **_SEED), {"l2": _L2}, squared=True),
    Method("VRSPAM-NET", VRSPAM(max_iter=15, **_SEED), _ELASTIC_NET_GRID, squared=True),
    Method("SPDAM", SPDAM(**_SEED), {"l2": powers(10.0, -5, 1)}, squared=True),
    Method("FSAUC", FSAUC(**_SEED), _FSAUC_GRID, squared=True, screening={"max_iter": 2}),
    Method("SAUC-H", SAUC("hinge", **_SEED), _SAUC_GRID),
    Method("SAUC-L", SAUC("logistic", **_SEED), _SAUC_GRID),
    Method("SAUC-H gamma0", SAUC("hinge", proximal="theory", **_SEED), _SAUC_GRID),
    Method("SAUC-L gamma0", SAUC("logistic", proximal="theory", **_SEED), _SAUC_GRID),
    Method("OPAUC", OPAUC(**_SEED), _OPAUC_GRID, squared=True, slow_if_wide=True, if_wide=_SKETCH),
    Method("OAMseq", OAM("sequential", **_SEED), {"C": powers(2.0, -12, 4, 2)}),
    Method("OAMgra", OAM("gradient", **_SEED), {"C": powers(2.0, -14, 2, 2)}),
    Method("online Uni-Exp", UniExp(**_SEED), {"step_size": powers(2.0, -8, 6, 2)}),
    Method("B-SVM-OR", AUCClassifier("hinge", **_BATCH), None, slow_if_wide=True),
    Method("mean difference", AUCClassifier("squared", l2=1e6, **_BATCH), {}, reference=True),
    Method("B-LS-SVM", AUCClassifier("squared", **_BATCH), None, squared=True, reference=True),
    Method("AUCClassifierCV", AUCClassifier(**_BATCH), None, reference=True),
    Method("OnlineAUCClassifier", OnlineAUCClassifier(**_SEED), {}, reference=True),
    Method(
        "LogisticRegression", LogisticRegression(max_iter=1000), {"C": powers(10.0, -2, 4)}, reference=True
    ),
)

METHODS = {method.name: method for method in _METHODS}
REFERENCES = tuple(method.name for method in _METHODS if method.reference)
