"""What a figure shows, in words and numbers that come from its records."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from .figure import Degrees
from .means import Records, first_within, measured, names, table
from .optimum import Optimum
from .rates import LAWS, Rates, fit_law

ROUGHLY, NEAR = 0.02, 0.001  # of AUC: on the way, and as good as the best
TUNED = (
    "Means over splits into 80 % and 20 %. Parameters are tuned once, on the first split's training rows, "
    "for the passes that the method makes by default, or those shown if they are fewer. Where the paper "
    "gives a method the l2 of another, it is the same number, though not quite the same penalty."
)
SETTINGS = (
    "The slopes depend on the settings, which were chosen to show the regime of each theorem: an l2 of "
    "0.1 in the units of `AUCClassifier`; SOLAM on the ball through that minimiser, with step 1 (where "
    "the ball hardly binds its gap falls faster, with longer steps more slowly); SPAM with step 10 "
    "(with 1 the start is felt longer, and the slope is steeper); FSAUC with the theorem's own steps in "
    "a ball that does not bind (in one that does, or with a fixed first step, it is flatter)."
)
ENOUGH = 10  # the degree from which the paper sees no more change
UNITS: dict[str, Callable[[float], str]] = {
    "seconds": lambda value: f"{value:.3g} s",
    "iterations": lambda value: f"{value:,.0f}",
    "passes": lambda value: f"{value:.3g}",
}


def summary(figure: Any, records: Records) -> str:
    """Markdown: what the paper says of the figure, and what was found here."""
    if isinstance(figure, Rates):
        found = _rates(figure, records)
    elif isinstance(figure, Optimum):
        found = _optimum(figure, records)
    elif isinstance(figure, Degrees):
        found = _degrees(figure, records)
    else:
        found = _curves(figure, records)
    who = "Expected" if isinstance(figure, (Rates, Optimum)) else "The paper"
    return f"{who}: {figure.claim}\n\n{found}"


def _curves(figure: Any, records: Records) -> str:
    """For each method and data set the best AUC, and what it took to come near it."""
    data, methods = names(figure, records)
    rows = []
    for name in data:
        for method in methods:
            passes, values, *_ = measured(records, name, method, "passes", "auc")
            pace = UNITS["seconds"](measured(records, name, method, "seconds", "auc").x[-1] / passes[-1])
            near = [
                show(first_within(measured(records, name, method, x, "auc"), NEAR))
                for x, show in UNITS.items()
            ]
            rows.append([name, method, f"{values.max():.4f}", f"{values[-1]:.4f}", pace, *near])
    heads = ["data", "method", "best AUC", "last AUC", "a pass", *(f"{x} to within {NEAR}" for x in UNITS)]
    parts = [
        _first(figure, records, x, margin) for x, y in figure.axes if y == "auc" for margin in (ROUGHLY, NEAR)
    ]
    if any("variance" in axis for axis in figure.axes):
        parts.append(_variances(figure, records))
    return "\n\n".join([*parts, TUNED, table(heads, rows)])


def _first(figure: Any, records: Records, x: str, margin: float) -> str:
    """Who first comes within reach of the best AUC of all, on each data set."""
    data, methods = names(figure, records)
    parts = []
    for name in data:
        curves = {method: measured(records, name, method, x, "auc") for method in methods}
        enough = max(found.y.max() for found in curves.values()) - margin
        reached = {
            method: float(found.x[np.argmax(found.y >= enough)])
            for method, found in curves.items()
            if found.y.max() >= enough
        }
        order = sorted(reached, key=lambda method: reached[method])
        cost = ", ".join(f"{method} ({UNITS[x](reached[method])})" for method in order)
        others = [method for method in methods if method not in reached]
        never = f"; never {', '.join(others)}" if others else ""
        parts.append(f"{name}: {cost}{never}")
    return f"Within {margin} of the best AUC of all, by {x}: " + ". ".join(parts) + "."


def _variances(figure: Any, records: Records) -> str:
    """How much less VRSPAM's updates vary at the end."""
    parts = []
    for data in names(figure, records)[0]:
        reduced, plain = (measured(records, data, name, "passes", "variance") for name in ("VRSPAM", "SPAM"))
        parts.append(f"{reduced.y[-1]:.1e} against {plain.y[-1]:.1e} on {data}")
    return f"Variance of the update at the end, VRSPAM against SPAM: {', '.join(parts)}."


def _degrees(figure: Any, records: Records) -> str:
    """AUC by degree, and how little it changes from some degree on."""
    data, methods = names(figure, records)
    rows, spread = [], []
    for name in data:
        for method in methods:
            degree, values, *_ = measured(records, name, method, "degree", "auc")
            rows.append([name, method, *(f"{value:.4f}" for value in values)])
            late = np.ptp(values[degree >= ENOUGH])
            spread.append(f"{name}, {method} {late:.4f} (all degrees: {np.ptp(values):.4f})")
    heads = ["data", "method", *(f"degree {value:.0f}" for value in degree)]
    said = f"From degree {ENOUGH} on the largest and the smallest AUC differ by: {'; '.join(spread)}."
    radii = _tuned_radii(records, data)
    return f"{said} {radii}\n\n{table(heads, rows)}"


def _tuned_radii(records: Records, data: list[str]) -> str:
    """The radii chosen: up to 1/2, the hinge of unit rows is a straight line, which every degree meets."""
    chosen = {
        record["data"]: json.loads(record["params"])["radius"]
        for record in records
        if record["method"] == "SAUC-H"
    }
    radii = ", ".join(f"{chosen[name]:g} on {name}" for name in data if name in chosen)
    why = "up to 1/2 no margin of unit rows exceeds 1, so that the hinge is a line"
    return f"The radius tuned is {radii}; {why}."


def _optimum(figure: Any, records: Records) -> str:
    """The distance and the gap at the end of each curve."""
    data, methods = names(figure, records)
    rows = []
    for method in methods:
        ends = [
            measured(records, name, method, "passes", y).y[-1] for name in data for y in ("distance", "gap")
        ]
        rows.append([method, *(f"{max(end, 0.0):.1e}" for end in ends)])
    heads = ["method", *(f"{name}: {what}" for name in data for what in ("distance", "gap"))]
    passes = max(record["passes"] for record in records if record["method"] == "SOLAM")
    said = (
        f"After {passes:.0f} passes: distance to the minimiser, and objective above its least, both relative."
    )
    return f"{said}\n\n{table(heads, rows)}"


def _rates(figure: Any, records: Records) -> str:
    """The fitted slopes beside those of the theorems."""
    data, methods = names(figure, records)
    rows = []
    for name in data:
        for method in methods:
            law = LAWS[method]
            found = measured(records, name, method, law.against, "value")
            fit = fit_law(law, found.x, found.y)
            if law.slope is None:
                theorem, ours = "a straight line", f"factor {10**fit.slope:.2f} a pass"
            else:
                theorem, ours = f"{law.slope:g}", f"{fit.slope:.2f}"
            rows.append([name, method, f"{law.value} by {law.against}", theorem, ours, f"{fit.r2:.4f}"])
    return f"{SETTINGS}\n\n{table(['data', 'method', 'what', 'theorem', 'fitted', 'R²'], rows)}"
