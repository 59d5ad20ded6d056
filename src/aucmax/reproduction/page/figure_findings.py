"""What a figure shows, in words and numbers computed from its records."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from ..experiments.auc_curves import AUCCurves, DegreeCurves
from ..experiments.convergence_rates import LAWS, ConvergenceRates, fit_law
from ..experiments.figure import Figure
from ..experiments.job import Record
from ..experiments.optimum_distance import OptimumDistance
from .markdown import table
from .mean_curves import mean_curve, recorded_names
from .texts import TEXTS

ROUGHLY, NEARLY = 0.02, 0.001  # distances from the best AUC
HIGH_DEGREE = 10  # from which on the paper sees no change
UNITS: dict[str, Callable[[float], str]] = {
    "seconds": lambda value: f"{value:.3g} s",
    "iterations": lambda value: f"{value:,.0f}",
    "passes": lambda value: f"{value:.3g}",
}


def describe(figure: Figure, records: list[Record]) -> str:
    """Markdown: what the figure is expected to show, and what was found here."""
    found = FINDINGS[type(figure)](figure, records)
    return f"{figure.claimed_by}: {TEXTS[f'{figure.name} claim']}\n\n{found}"


def _auc_findings(figure: Figure, records: list[Record]) -> str:
    """For each method and data set the best AUC, and the cost of coming near it."""
    data, methods = recorded_names(figure, records)
    rows = []
    for name in data:
        for method in methods:
            curves = {x: mean_curve(records, name, method, x, "auc") for x in UNITS}
            values = curves["passes"].y
            per_pass = UNITS["seconds"](curves["seconds"].x[-1] / curves["passes"].x[-1])
            near = [show(curves[x].first_x(values.max() - NEARLY)) for x, show in UNITS.items()]
            rows.append([name, method, f"{values.max():.4f}", f"{values[-1]:.4f}", per_pass, *near])
    heads = ["data", "method", "best AUC", "last AUC", "a pass", *(f"{x} to within {NEARLY}" for x in UNITS)]
    axes = [x for x, y in figure.axes if y == "auc"]
    parts = [_first_to_reach(figure, records, x, margin) for x in axes for margin in (ROUGHLY, NEARLY)]
    if any("variance" in axis for axis in figure.axes):
        parts.append(_final_variances(records, data))
    return "\n\n".join([*parts, TEXTS["curves"], table(heads, rows)])


def _first_to_reach(figure: Figure, records: list[Record], x: str, margin: float) -> str:
    """The methods that come within a margin of the best AUC of all, in order, for each data set."""
    data, methods = recorded_names(figure, records)
    parts = []
    for name in data:
        curves = {method: mean_curve(records, name, method, x, "auc") for method in methods}
        level = max(curve.y.max() for curve in curves.values()) - margin
        reached = {method: curve.first_x(level) for method, curve in curves.items() if curve.y.max() >= level}
        order = sorted(reached, key=lambda method: reached[method])
        costs = ", ".join(f"{method} ({UNITS[x](reached[method])})" for method in order)
        others = ", ".join(method for method in methods if method not in reached)
        parts.append(f"{name}: {costs}" + (f"; never {others}" if others else ""))
    return f"Within {margin} of the best AUC of all, by {x}: " + ". ".join(parts) + "."


def _final_variances(records: list[Record], data: list[str]) -> str:
    parts = []
    for name in data:
        reduced, plain = (
            mean_curve(records, name, method, "passes", "variance").y[-1] for method in ("VRSPAM", "SPAM")
        )
        parts.append(f"{reduced:.1e} against {plain:.1e} on {name}")
    return f"Variance of the update at the end, VRSPAM against SPAM: {', '.join(parts)}."


def _degree_findings(figure: Figure, records: list[Record]) -> str:
    """AUC by degree, how little it changes from some degree on, and the radii chosen."""
    data, methods = recorded_names(figure, records)
    rows, ranges = [], []
    for name in data:
        for method in methods:
            curve = mean_curve(records, name, method, "degree", "auc")
            rows.append([name, method, *(f"{value:.4f}" for value in curve.y)])
            late = np.ptp(curve.y[curve.x >= HIGH_DEGREE])
            ranges.append(f"{name}, {method} {late:.4f} (all degrees: {np.ptp(curve.y):.4f})")
    heads = ["data", "method", *(f"degree {value:.0f}" for value in curve.x)]
    params = {
        record["data"]: json.loads(record["params"]) for record in records if record["method"] == "SAUC-H"
    }
    radii = ", ".join(f"{params[name]['radius']:g} on {name}" for name in data if name in params)
    return (
        f"From degree {HIGH_DEGREE} on the largest and the smallest AUC differ by: {'; '.join(ranges)}. "
        f"The radius tuned is {radii}; {TEXTS['degree radii']}\n\n{table(heads, rows)}"
    )


def _optimum_findings(figure: Figure, records: list[Record]) -> str:
    """The distance and the gap at the end of each curve."""
    data, methods = recorded_names(figure, records)
    columns = [(name, y) for name in data for y in ("distance", "gap")]
    rows = []
    for method in methods:
        ends = [mean_curve(records, name, method, "passes", y).y[-1] for name, y in columns]
        rows.append([method, *(f"{max(end, 0.0):.1e}" for end in ends)])
    passes = max(record["passes"] for record in records if record["method"] == "SOLAM")
    heads = ["method", *(f"{name}: {y}" for name, y in columns)]
    return f"After {passes:.0f} passes: {TEXTS['optimum columns']}\n\n{table(heads, rows)}"


def _rate_findings(figure: Figure, records: list[Record]) -> str:
    """The fitted slopes beside those of the theorems."""
    data, methods = recorded_names(figure, records)
    rows = []
    for name in data:
        for method in methods:
            law = LAWS[method]
            curve = mean_curve(records, name, method, law.against, "value")
            fit = fit_law(law, curve.x, curve.y)
            if law.slope is None:
                theorem, fitted = "a straight line", f"factor {10**fit.slope:.2f} a pass"
            else:
                theorem, fitted = f"{law.slope:g}", f"{fit.slope:.2f}"
            rows.append([name, method, f"{law.value} by {law.against}", theorem, fitted, f"{fit.r2:.4f}"])
    heads = ["data", "method", "what", "theorem", "fitted", "R²"]
    return f"{TEXTS['rates settings']}\n\n{table(heads, rows)}"


FINDINGS: dict[type[Any], Callable[[Figure, list[Record]], str]] = {
    AUCCurves: _auc_findings,
    DegreeCurves: _degree_findings,
    OptimumDistance: _optimum_findings,
    ConvergenceRates: _rate_findings,
}
