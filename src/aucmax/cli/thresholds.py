"""The threshold from which rows are labelled positive: how it is given, chosen and kept in a model file."""

import warnings
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer

from ..io.storage.models import Scorer
from ..validation.errors import DataError, ParameterError
from .rendering import pluralize

if TYPE_CHECKING:
    from ..held_out import HeldOutScores
    from ..metrics import OperatingPoint

FORMS = "X|recall=R|precision=P|alerts=N|cost=FP:FN"
# `predict` labels rows whose score is above 0 positive; rows alerted score at least the threshold.
ABOVE_ZERO = 5e-324
ALL_ROWS = 1 - 2.0**-53  # as a share of the rows: the largest number below 1, which is one alert
HELD_OUT = "by rows held out in training"


class Goal(NamedTuple):
    """What a threshold is chosen for: a number itself, or a recall, a precision, alerts or costs."""

    name: str
    value: Any

    def __str__(self) -> str:
        if self.name == "threshold":
            return f"{self.value:g}"
        if self.name == "alerts" and self.value < 1:
            return f"alerts={100 * self.value:g}%"
        shown = ":".join(f"{part:g}" for part in self.value) if self.name == "cost" else f"{self.value:g}"
        return f"{self.name}={shown}"


class Threshold(NamedTuple):
    """A threshold in use, the goal that it was chosen for, and where."""

    value: float = ABOVE_ZERO
    goal: str | None = None
    how: str | None = None

    @property
    def shown(self) -> float:
        """The value as it is printed."""
        return 0.0 if self.value == ABOVE_ZERO else self.value


def parse_goal(text: str) -> Goal:
    """A goal as given after ``--threshold``."""
    name, equals, value = text.strip().partition("=")
    name, value = (name.strip(), value.strip()) if equals else ("threshold", name)
    if name not in ("threshold", "recall", "precision", "alerts", "cost"):
        raise typer.BadParameter(f"{text!r} is not one of {FORMS.replace('|', ', ')}.")
    from ..metrics.operating import check_goal  # here: it loads numba

    try:
        goal = Goal(name, _parse_numbers(value, 2 if name == "cost" else 1))
        check_goal(**{name: goal.value})
        if name == "alerts":
            goal = Goal(name, _check_alerts(goal.value, value.endswith("%")))
    except ParameterError as error:
        raise typer.BadParameter(f"{text!r}: {error.render()}") from None
    except ValueError:
        form = "two numbers such as 1:20" if name == "cost" else "a number"
        raise typer.BadParameter(f"{text!r}: {name} must be {form}.") from None
    return goal


def _check_alerts(alerts: float, is_percentage: bool) -> float:
    """Alerts as ``operating_point`` takes them: a share of the rows below 1, or else their number."""
    if is_percentage and alerts <= 1:
        return min(alerts, ALL_ROWS)
    if is_percentage or (alerts > 1 and not alerts.is_integer()):
        allowed = "a whole number of rows, a share of them below 1 or at most 100%"
        raise ParameterError(None, "alerts", allowed, f"{100 * alerts:g}%" if is_percentage else alerts)
    return alerts


def _parse_numbers(text: str, count: int) -> Any:
    """A number, which may be a percentage, or several with colons between them."""
    parts = text.split(":")
    if len(parts) != count:
        raise ValueError(text)
    numbers = [float(part.removesuffix("%")) / (100 if part.endswith("%") else 1) for part in parts]
    return numbers[0] if count == 1 else tuple(numbers)


ThresholdOption = Annotated[
    Goal | None,
    typer.Option(
        "--threshold",
        metavar=FORMS,
        parser=parse_goal,
        help="Label rows from this score on, or from the score that reaches a goal, as positive. "
        "Alerts are a number of rows, or a share: 0.5 or 50% is half of them.",
    ),
]


def stored_threshold(scorer: Scorer) -> Threshold:
    """The threshold in the model file, or that of the model itself."""
    kept = scorer.summary.get("threshold")
    return Threshold() if kept is None else Threshold(kept["value"], kept["goal"], kept["how"])


def choose_threshold(goal: Goal, scorer: Scorer, file: str) -> Threshold:
    """The threshold for a goal by the scores of rows held out in training, which the model file has."""
    if goal.name == "threshold":
        return Threshold(goal.value, str(goal), "given")
    if scorer.held_out is None:
        problem = f"{scorer.estimator} has no held-out scores to choose {goal} by"
        remedy = "give a number, or choose by labelled rows: aucmax evaluate --threshold ... --save"
        raise DataError(problem, remedy=remedy, file=file)
    point = scorer.held_out.operating_point(**{goal.name: goal.value})
    return Threshold(point.threshold, str(goal), HELD_OUT)


def find_point(
    goal: Goal | None, scorer: Scorer, positive: np.ndarray, score: np.ndarray, where: str
) -> "tuple[Threshold, OperatingPoint]":
    """The threshold for a goal among these rows, or that of ``predict``, and the rates there."""
    from ..metrics import operating_point

    if goal is None:
        kept = stored_threshold(scorer)
        return kept, operating_point(positive, score, threshold=kept.value)
    point = operating_point(positive, score, **{goal.name: goal.value})
    return Threshold(point.threshold, str(goal), where), point


def point_of_training(goal: Goal, held_out: "HeldOutScores | None") -> dict[str, Any]:
    """The threshold of a trained model for a goal, to be kept in its file, and the rates there.

    The rates are those of rows held out, and absent where there are none.
    """
    if held_out is None:
        return Threshold(goal.value, str(goal), "given")._asdict()
    point = held_out.operating_point(**{goal.name: goal.value})
    warn_of_extreme(goal, point)
    return describe_point(Threshold(point.threshold, str(goal), HELD_OUT), point)


def warn_of_extreme(goal: Goal | None, point: "OperatingPoint") -> None:
    """Warn where a given score is above or below all rows: it may have been meant as something else."""
    if goal is not None and goal.name == "threshold" and point.fraction in (0.0, 1.0):
        rows = "no row scores" if point.fraction == 0.0 else "every row scores"
        goals = "recall=, precision=, alerts= or cost="
        text = f"{rows} at least {goal.value:g}: --threshold takes a score; for a goal give it {goals}"
        warnings.warn(text, stacklevel=2)


def threshold_for_alerts(goal: Goal, scores: list[np.ndarray]) -> Threshold:
    """The lowest threshold with at most so many alerts among these scores; below 1, a share of them."""
    descending, counts = np.unique(-np.concatenate(scores), return_counts=True)
    most = goal.value * counts.sum() * (1 + 1e-12) if goal.value < 1 else goal.value
    n_alerted = int(np.searchsorted(np.cumsum(counts), most, side="right"))  # rows of equal score together
    if not n_alerted:
        problem = f"no threshold has at most {goal.value:g} alerts: the highest score has {counts[0]:,}"
        raise DataError(problem, remedy="raise {alerts}")
    return Threshold(-float(descending[n_alerted - 1]), str(goal), "of this file")


def describe_point(threshold: Threshold, point: "OperatingPoint") -> dict[str, Any]:
    """An operating point as part of a result."""
    rates = {name: getattr(point, name)._asdict() for name in ("recall", "precision", "fpr")}
    found = {"value": threshold.shown, "alerts": point.alerts, "fraction": point.fraction}
    return threshold._asdict() | found | rates


def show_point(found: dict[str, Any]) -> str:
    """An operating point in one line."""
    if "alerts" not in found:
        return f"threshold {found['value']:.6g}"
    goal = "" if found["goal"] in (None, f"{found['value']:g}") else f" ({found['goal']})"
    names = ("recall", "precision", "fpr") if found["alerts"] else ("recall", "fpr")
    rates = ", ".join(f"{name} {found[name]['value']:.3f}" for name in names)
    alerts = pluralize(round(found["alerts"]), "alert")
    return f"threshold {found['value']:.6g}{goal}: {alerts}, {rates}"
