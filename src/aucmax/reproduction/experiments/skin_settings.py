"""SAUC on skin_nonskin, where the printed AUC is far above ours: every radius, degree and step."""

import itertools
from collections.abc import Iterator

import numpy as np

from ... import SAUC, AUCClassifier
from ...metrics import auc
from ..methods import powers
from ..protocol import Protocol, fit_quietly, sample_rows
from .job import Job, Record
from .tables import TABLES

ROWS = 50_000  # of 245,057: three features need no more
DEGREES, RADII, STEPS, PROXIMAL = (
    (10, 40, 100),
    powers(10.0, -1, 4),
    powers(100.0, -1, 2),
    (0.0, 1.0, "theory"),
)
L2S = powers(10.0, -8, -1)
N_DIRECTIONS = (1, 10, 100, 1000)
EXACT, DIRECTIONS = "exact hinge", "best of random directions"


class SkinSettings:
    """Test AUC of one split for each setting of SAUC-H, each l2 of the exact hinge, and random directions."""

    name, title = "sauc-skin", "SAUC-H on skin_nonskin: which settings give the printed .9948"

    def jobs(self, quick: bool) -> list[Job]:
        """One job for each degree of SAUC, one for the exact hinge, one for random directions."""
        settings = len(self._settings(quick))
        jobs = [Job("skin_nonskin", f"degree {degree}", settings) for degree in DEGREES[: 1 if quick else 3]]
        return [
            *jobs,
            Job("skin_nonskin", EXACT, len(L2S)),
            Job("skin_nonskin", DIRECTIONS, len(N_DIRECTIONS)),
        ]

    def compute_records(self, job: Job, done: list[Record], quick: bool, seed: int) -> Iterator[Record]:
        """Each setting with the norm of its weights and its AUC on the test rows."""
        X, y = TABLES[3].problem("skin_nonskin").load(seed)
        rows = sample_rows(y, ROWS // 10 if quick else ROWS, seed)
        X, y = X[rows], y[rows]
        ((train, test),) = Protocol(1, 0).splits(y, seed)
        for setting, w in self._weights(job.method, X[train], y[train], quick, seed):
            if not any(record["setting"] == setting for record in done):
                aucs = auc_of_columns(y[test], X[test] @ w.T)
                yield {"setting": setting, "norm": float(np.linalg.norm(w[-1])), "auc": max(aucs)}

    def _settings(self, quick: bool) -> list[tuple]:
        return list(
            itertools.product(RADII[::3] if quick else RADII, STEPS[::3] if quick else STEPS, PROXIMAL)
        )

    def _weights(
        self, method: str, X: np.ndarray, y: np.ndarray, quick: bool, seed: int
    ) -> Iterator[tuple[str, np.ndarray]]:
        """The name of each setting, and the weights that it gives, a row for each direction."""
        if method == EXACT:
            for l2 in L2S:
                yield f"l2 {l2:g}", fit_quietly(AUCClassifier("hinge", l2=l2, standardize=False), X, y).coef_
        elif method == DIRECTIONS:
            for n in N_DIRECTIONS:
                yield f"best of {n:,}", np.random.default_rng(seed).normal(size=(n, X.shape[1]))
        else:
            degree = int(method.split()[1])
            for radius, step_size, proximal in self._settings(quick):
                params = {"radius": radius, "step_size": step_size, "proximal": proximal}
                model = SAUC("hinge", degree=degree, random_state=seed, **params)
                yield (
                    f"radius {radius:g}, step {step_size:g}, proximal {proximal}",
                    fit_quietly(model, X, y).coef_,
                )


def auc_of_columns(y: np.ndarray, scores: np.ndarray) -> list[float]:
    """The AUC of each column of scores."""
    return [auc(y, column) for column in np.ascontiguousarray(scores.T)]


SKIN_SETTINGS = SkinSettings()
