"""A table of thresholds: what alerts find at some recalls, precisions, shares of alerts and costs."""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from ..validation.errors import DataError

if TYPE_CHECKING:
    from ..held_out import HeldOutScores
    from ..metrics import OperatingPoint

GOALS: dict[str, tuple] = {
    "recall": (0.5, 0.8, 0.9, 0.95),
    "precision": (0.5, 0.8, 0.9),
    "alerts": (0.01, 0.05, 0.1),
    "cost": ((1, 1), (1, 5), (1, 20)),
}
MOST_DECIMALS = 15


def reachable_goals(find: "Callable[..., OperatingPoint]") -> "list[tuple[str, OperatingPoint]]":
    """Goals in words and the operating points that reach them, where there is one.

    ``find`` takes a goal as a keyword, as ``operating_point`` does.
    """
    found = []
    for name, values in GOALS.items():
        for value in values:
            with suppress(DataError):
                found.append((describe_goal(name, value), find(**{name: value})))
    return found


def describe_decisions(held_out: "HeldOutScores") -> list[dict[str, Any]]:
    """The thresholds that rows held out in training give, as `train` keeps them in a model file.

    They could be found again at any time, but `inspect` would have to load all metrics for it.
    """
    return [
        {"goal": goal, "threshold": point.threshold, "fraction": point.fraction}
        | {name: getattr(point, name)._asdict() for name in ("recall", "precision", "fpr")}
        for goal, point in reachable_goals(held_out.operating_point)
    ]


def format_thresholds(values: Sequence[float]) -> list[str]:
    """Scores with as many decimals as tell them apart, even where all are close together and far from 0."""
    spread = max(values) - min(values)
    if not 0.0 < spread < math.inf:
        return [f"{value:.6g}" for value in values]
    decimals = min(max(3 - math.floor(math.log10(spread)), 0), MOST_DECIMALS)
    return [f"{value:.{decimals}f}" if value else "0" for value in values]


def describe_goal(name: str, value: Any) -> str:
    """A goal in words."""
    if name == "cost":
        return f"lowest cost (false alarm {value[0]:g}, miss {value[1]:g})"
    if name == "alerts":
        return f"alert on {100 * value:g} %" if value < 1 else f"{value:,.0f} alerts"
    return f"{name} of at least {100 * value:g} %"
