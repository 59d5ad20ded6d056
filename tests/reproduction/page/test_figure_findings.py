"""The sentences and tables about figures."""

import numpy as np

from aucmax.reproduction.experiments import EXPERIMENTS
from aucmax.reproduction.experiments.convergence_rates import THEOREMS
from aucmax.reproduction.page.figure_findings import describe

COMMON = {"quick": True, "seed": 0, "data": "diabetes", "repeat": 0}


def test_fitted_rates_stand_beside_those_of_the_theorems():
    records = []
    for method, theorem in THEOREMS.items():
        slope = theorem.slope or -0.3
        x = np.geomspace(1e3, 1e5, 5) if theorem.slope else np.arange(1.0, 6.0)
        values = x**slope if theorem.slope else 10 ** (slope * x)
        records += [
            {**COMMON, "method": method, "point": point, theorem.against: at, "value": value}
            for point, (at, value) in enumerate(zip(x, values, strict=True))
        ]
    text = describe(EXPERIMENTS["rates"], records)
    assert "| diabetes | SOLAM | duality gap by rows | -0.5 | -0.50 | 1.0000 |" in text
    assert "| diabetes | SPDAM | distance by passes | a straight line | factor 0.50 a pass | 1.0000 |" in text


def test_methods_are_listed_in_the_order_in_which_they_reach_the_best_auc():
    curves = (("SPDAM, 10 %", [(10, 0.8), (20, 0.81)]), ("regSOLAM", [(30, 0.7), (40, 0.75)]))
    records = [
        {**COMMON, "passes": 1, "seconds": 1.0, "method": method, "point": point, "iterations": x, "auc": auc}
        for method, points in curves
        for point, (x, auc) in enumerate(points)
    ]
    text = describe(EXPERIMENTS["spdam-figure1"], records)
    for margin, iterations in ((0.02, 10), (0.001, 20)):
        first = f"diabetes: SPDAM, 10 % ({iterations}); never regSOLAM."
        assert f"Within {margin} of the best AUC of all, by iterations: {first}" in text
