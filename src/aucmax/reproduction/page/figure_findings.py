"""What a figure shows, in words and numbers computed from its records."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from ..experiments.auc_curves import AUCCurves, DegreeCurves
from ..experiments.convergence_rates import THEOREMS, ConvergenceRates, fit_rate
from ..experiments.figure import Figure
from ..experiments.job import Record
from ..experiments.optimum_distance import OptimumDistance
from .markdown import TEXTS, markdown_table
from .mean_curves import Curve, mean_curves

COARSE_MARGIN, FINE_MARGIN = 0.02, 0.001  # below the best AUC
HIGH_DEGREE = 10  # the paper sees no change of AUC at higher degrees
FORMATS = {"seconds": "{:.3g} s", "iterations": "{:,.0f}", "passes": "{:.3g}"}  # of what training costs


def describe(figure: Figure, records: list[Record]) -> str:
    """Markdown: what the figure is expected to show, and what was found here."""
    found = FINDINGS[type(figure)](figure, records)
    return f"{figure.claim_source}: {TEXTS[f'{figure.name} claim']}\n\n{found}"


def _auc_findings(figure: Figure, records: list[Record]) -> str:
    """The best AUC for each method and data set, and the cost of coming near it."""
    rows, by_cost = [], {cost: mean_curves(figure, records, cost, "auc") for cost in FORMATS}
    for name, curves in by_cost["passes"].items():
        for method, curve in curves.items():
            level, seconds = curve.y.max() - FINE_MARGIN, by_cost["seconds"][name][method].x[-1]
            costs = [FORMATS[cost].format(by_cost[cost][name][method].first_x(level)) for cost in FORMATS]
            per_pass = FORMATS["seconds"].format(seconds / curve.x[-1])
            rows.append([name, method, f"{curve.y.max():.4f}", f"{curve.y[-1]:.4f}", per_pass, *costs])
    heads = ["data", "method", "best AUC", "last AUC", "a pass"]
    heads += [f"{cost} to within {FINE_MARGIN}" for cost in FORMATS]
    parts = [
        _first_to_reach(x, by_cost[x], margin)
        for x, y in figure.axes
        if y == "auc"
        for margin in (COARSE_MARGIN, FINE_MARGIN)
    ]
    if ("passes", "variance") in figure.axes:
        parts.append(_final_variances(mean_curves(figure, records, "passes", "variance")))
    return "\n\n".join([*parts, TEXTS["curves"], markdown_table(heads, rows)])


def _first_to_reach(cost: str, by_data: dict[str, dict[str, Curve]], margin: float) -> str:
    """For each data set, the methods that come within a margin of the best AUC of all, cheapest first."""
    parts = []
    for name, curves in by_data.items():
        level = max(curve.y.max() for curve in curves.values()) - margin
        reached = {method: curve.first_x(level) for method, curve in curves.items() if curve.y.max() >= level}
        order = sorted(reached, key=lambda method: reached[method])
        costs = ", ".join(f"{method} ({FORMATS[cost].format(reached[method])})" for method in order)
        others = ", ".join(method for method in curves if method not in reached)
        parts.append(f"{name}: {costs}" + (f"; never {others}" if others else ""))
    return f"Within {margin} of the best AUC of all, by {cost}: " + ". ".join(parts) + "."


def _final_variances(by_data: dict[str, dict[str, Curve]]) -> str:
    parts = ", ".join(
        f"{curves['VRSPAM'].y[-1]:.1e} against {curves['SPAM'].y[-1]:.1e} on {name}"
        for name, curves in by_data.items()
    )
    return f"Variance of the update at the end, VRSPAM against SPAM: {parts}."


def _degree_findings(figure: Figure, records: list[Record]) -> str:
    """AUC by degree, how little it changes at high degrees, and the radii chosen."""
    rows, ranges, by_data = [], [], mean_curves(figure, records, "degree", "auc")
    for name, curves in by_data.items():
        for method, curve in curves.items():
            rows.append([name, method, *(f"{value:.4f}" for value in curve.y)])
            late = np.ptp(curve.y[curve.x >= HIGH_DEGREE])
            ranges.append(f"{name}, {method} {late:.4f} (all degrees: {np.ptp(curve.y):.4f})")
    heads = ["data", "method", *(f"degree {value:.0f}" for value in curve.x)]
    params = {
        record["data"]: json.loads(record["params"]) for record in records if record["method"] == "SAUC-H"
    }
    radii = ", ".join(f"{params[name]['radius']:g} on {name}" for name in by_data if name in params)
    return (
        f"From degree {HIGH_DEGREE} on the largest and the smallest AUC differ by: {'; '.join(ranges)}. "
        f"The radius tuned is {radii}; {TEXTS['degree radii']}\n\n{markdown_table(heads, rows)}"
    )


def _optimum_findings(figure: Figure, records: list[Record]) -> str:
    """The distance and the gap at the end of each curve."""
    measured = {y: mean_curves(figure, records, "passes", y) for y in ("distance", "gap")}
    columns = [(name, y) for name in measured["gap"] for y in measured]
    rows = []
    for method in figure.methods:
        ends = [measured[y][name][method].y[-1] for name, y in columns]
        rows.append([method, *(f"{max(end, 0.0):.1e}" for end in ends)])
    passes = max(record["passes"] for record in records if record["method"] == "SOLAM")
    heads = ["method", *(f"{name}: {y}" for name, y in columns)]
    return f"After {passes:.0f} passes: {TEXTS['optimum columns']}\n\n{markdown_table(heads, rows)}"


def _rate_findings(figure: Figure, records: list[Record]) -> str:
    """The fitted slopes beside those of the theorems."""
    rows, by_x = [], {x: mean_curves(figure, records, x, "value") for x, _ in figure.axes}
    for name in by_x["rows"]:
        for method, theorem in THEOREMS.items():
            curve = by_x[theorem.against][name][method]
            slope, r2 = fit_rate(theorem, curve.x, curve.y)
            if theorem.slope is None:
                expected, fitted = "a straight line", f"factor {10**slope:.2f} a pass"
            else:
                expected, fitted = f"{theorem.slope:g}", f"{slope:.2f}"
            quantity = f"{theorem.quantity} by {theorem.against}"
            rows.append([name, method, quantity, expected, fitted, f"{r2:.4f}"])
    heads = ["data", "method", "what", "theorem", "fitted", "R²"]
    return f"{TEXTS['rates settings']}\n\n{markdown_table(heads, rows)}"


FINDINGS: dict[type[Any], Callable[[Figure, list[Record]], str]] = {
    AUCCurves: _auc_findings,
    DegreeCurves: _degree_findings,
    OptimumDistance: _optimum_findings,
    ConvergenceRates: _rate_findings,
}
