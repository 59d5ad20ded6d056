"""The report as one HTML page without scripts, with its pictures and styles inside."""

import math
from functools import partial
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from ..metrics import average_precision, operating_point, top
from ..metrics.top import format_count
from .contents import Report
from .decisions import format_thresholds, reachable_goals
from .effects import Effect
from .elements import Bar, card, facts, figure, paragraph, percent, rate, table
from .figures import draw

if TYPE_CHECKING:
    from ..io.columns.curves import Curve

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
{body}
</body>
</html>
"""
FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.2)  # of the rows, those with the highest scores
SHOWN_EFFECTS = 20
MOST_EFFECTS = 500  # in the table that unfolds
MOST_CURVES = 30
WIDE_PICTURE, TALL_PICTURE, SMALL_PICTURE = (5.6, 4.4), (5.0, 4.8), (4.0, 2.6)
GOAL = "<code>--threshold recall=0.9</code> or <code>--threshold cost=1:20</code>"
ABOUT_ROC = "How many positives are found, against how many negatives raise a false alarm; with a 95 % band."
ABOUT_TOP = "What looking at the highest scores finds, against how many rows that is."
ABOUT_SCORES = "Scores of each class, each with area one. The less they overlap, the better."
ABOUT_PROBABILITY = "Of the rows with a probability of 30 %, 30 % should be positive: points on the diagonal."
ABOUT_EFFECTS = (
    "How far the score moves with a typical change of a column: its weight times its spread, so that columns "
    "in different units can be compared. Lines show 95 % intervals: other rows of the same kind would give "
    "other weights. Correlated columns share what they have in common in some proportion."
)

ABOUT_CURVES = (
    "What each value of a column adds to the score, all else equal, over the range of the training rows; 0 "
    "is what a missing value adds. All have the same scale, and the strongest are first."
)


def make_page(report: Report) -> str:
    """The page as text."""
    sections = headline, warnings, data, ranking, scores, thresholds, effects, curves, glossary
    style = resources.files(__package__).joinpath("page.css").read_text()
    body = "\n".join(section(report) for section in sections)
    return PAGE.format(title=escape(report.title), style=style, body=body)


def headline(report: Report) -> str:
    """Title, the main numbers, and what they mean."""
    found, rows = report.comparison, report.rows
    model, logistic, difference = found.model, found.logistic, found.difference
    cards = [card("AUC", f"{model.auc:.3f}", f"95 % interval {model.low:.3f} – {model.high:.3f}")]
    if logistic is not None:
        ends = f"95 % interval {logistic.low:.3f} – {logistic.high:.3f}"
        cards.append(card("logistic regression", f"{logistic.auc:.3f}", ends))
    if difference is not None:
        ends = f"{difference.low:+.4f} to {difference.high:+.4f}, p = {difference.p_value:.2g}"
        cards.append(card("difference", f"{difference.difference:+.4f}", ends))
    share, count = float(rows.positive.mean()), int(rows.positive.sum())
    cards.append(card("positive rows", percent(share), f"{count:,} of {rows.positive.size:,}"))
    precision = average_precision(rows.positive, rows.score)
    cards.append(card("average precision", f"{precision:.3f}", f"{share:.3f} is chance"))
    negative_label, positive_label = report.scorer.classes
    text = (
        f"A row labelled {positive_label} scores higher than one labelled {negative_label} in "
        f"{percent(model.auc)} of all pairs of such rows; {percent(0.5)} is chance. AUC {found.how}."
    )
    return f'<h1>{escape(report.title)}</h1>{paragraph(text)}<div class="cards">{"".join(cards)}</div>'


def warnings(report: Report) -> str:
    """What to know before trusting the figures."""
    if not report.warnings:
        return ""
    return '<ul class="warnings">' + "".join(f"<li>{escape(text)}</li>" for text in report.warnings) + "</ul>"


def data(report: Report) -> str:
    """What the rows are, and how the model was trained."""
    scorer, summary = report.scorer, report.scorer.summary
    non_zero = int((scorer.coef != 0).sum())  # a curve has several
    known = [
        ("judged on", report.rows.what),
        ("positive label", f"{scorer.classes[1]} (the other is {scorer.classes[0]})"),
        ("features", f"{len(scorer.coef):,}, of which {non_zero:,} have a weight that is not 0"),
    ]
    if "rows" in summary:
        share = percent(summary["positives"] / summary["rows"])
        known.append(("trained on", f"{summary['data']}: {summary['rows']:,} rows, {share} positive"))
    if "auc" in summary:
        known.append(("AUC in training", f"{summary['auc']:.4f} {summary['how']}"))
    if "l2" in summary:
        push = f", push {summary['push']:g}" if "push" in summary else ""
        known.append(("fit", f"{scorer.estimator}, loss {summary['loss']}, l2 {summary['l2']:.3g}{push}"))
    known.append(("written by", f"aucmax {scorer.library}"))
    return "<h2>Data and model</h2>" + facts(known)


def ranking(report: Report) -> str:
    """The ROC curve, the top of the list, and its table."""
    from .. import plot

    positive, score = report.rows.positive, report.rows.score
    cut: dict[str, Any] = {"threshold": report.point.threshold}
    roc = draw("roc", "ROC curve", TALL_PICTURE, lambda ax: plot.roc(positive, score, ax, **cut))
    curves = draw("top", "the top of the list", WIDE_PICTURE, lambda ax: plot.top(positive, score, ax, **cut))
    head = ["alert on", "rows", "from score", "recall", "precision", "lift"]
    found = top(positive, score, FRACTIONS)
    rows = [
        [
            f"top {percent(row.fraction)}",
            format_count(row.alerts),
            threshold,
            rate(row.recall),
            rate(row.precision),
            f"{row.lift.value:.3g}",
        ]
        for row, threshold in zip(found, format_thresholds([row.threshold for row in found]), strict=True)
    ]
    pictures = figure(roc, ABOUT_ROC) + figure(curves, ABOUT_TOP)
    shown = table(head, rows, wide=(2,))
    return f'<h2>Ranking</h2><div class="grid">{pictures}</div><h3>The top of the list</h3>{shown}'


def scores(report: Report) -> str:
    """Histograms of the scores, and calibration where there are probabilities."""
    from .. import plot

    rows, scorer = report.rows, report.scorer

    def paint_scores(ax: Any) -> None:
        plot.scores(rows.positive, rows.score, ax, threshold=report.point.threshold)
        for text in ax.get_legend().get_texts():  # y is True or False; the page has the labels
            for name, label in (("True (", scorer.classes[1]), ("False (", scorer.classes[0])):
                text.set_text(text.get_text().replace(name, f"{label} ("))

    def paint_calibration(ax: Any) -> None:
        probability = scorer.probability(rows.score)
        plot.calibration(rows.positive, probability, ax)
        end = min(1.0, 1.2 * float(probability.max()))  # with rare positives all may lie near 0
        ax.set(xlim=(-0.01 * end, 1.01 * end), ylim=(-0.01 * end, 1.01 * end))

    drawn = draw("scores", "histogram of the scores of each class", WIDE_PICTURE, paint_scores)
    pictures = figure(drawn, ABOUT_SCORES)
    if scorer.calibration is not None:
        drawn = draw("calibration", "share of positives against probability", TALL_PICTURE, paint_calibration)
        pictures += figure(drawn, ABOUT_PROBABILITY)
    return f'<h2>Scores and probabilities</h2><div class="grid">{pictures}</div>'


def thresholds(report: Report) -> str:
    """The threshold in use, and those for other goals."""
    positive, score = report.rows.positive, report.rows.score
    rows = [(f"in use: {report.goal or 'both classes equally likely'}", report.point)]
    rows += reachable_goals(lambda **goal: operating_point(positive, score, **goal))
    thresholds = format_thresholds([point.threshold for _, point in rows])
    head = ["goal", "from score", "alerts", "of the rows", "recall", "precision", "false alarms"]
    cells = [
        [
            goal,
            threshold,
            format_count(point.alerts),
            percent(point.fraction),
            rate(point.recall),
            rate(point.precision),
            percent(point.fpr.value),
        ]
        for (goal, point), threshold in zip(rows, thresholds, strict=True)
    ]
    text = f"Rows from this score on are labelled positive. Give predict a goal, for example {GOAL}."
    more = (
        "False alarms are the share of the negative rows that are alerted. The intervals here are those of a "
        "given score; those of the top of the list allow for another score in other rows."
    )
    return f"<h2>Where to cut</h2><p>{text} {more}</p>" + table(head, cells, chosen=0, wide=(3, 6))


def effects(report: Report) -> str:
    """The weights by effect, with intervals and bars; the rest in a table that unfolds."""
    found, classes = report.effects, report.scorer.classes
    title = "<h2>What the score is made of</h2>"
    if not found:
        return title + paragraph("All weights are 0.")
    scale = max(abs(end) for each in found[:SHOWN_EFFECTS] for end in (each.effect, *each.interval))
    head = ["column", f"to {classes[0]} | to {classes[1]}", "effect", "weight", "95 % interval", "spread"]
    parts = [title, paragraph(ABOUT_EFFECTS)]
    parts.append(table(head, [_effect_cells(each, scale) for each in found[:SHOWN_EFFECTS]], wide=(3, 4, 5)))
    if len(found) > SHOWN_EFFECTS:
        others = found[SHOWN_EFFECTS:MOST_EFFECTS]
        rest = table(head, [_effect_cells(each, scale) for each in others], wide=(3, 4, 5))
        parts.append(f"<details><summary>{len(others):,} more columns</summary>{rest}</details>")
    return "".join(parts) + paragraph(f"intercept {report.scorer.intercept:+.6g}", "soft")


def curves(report: Report) -> str:
    """What each value of a column adds to the score, where that is a curve."""
    if not report.curves:
        return ""
    from ..plot.axes import GREY, POSITIVE, label_axes

    every = [each.curve.contribution for each in report.curves]
    low, high = min(part.min() for part in every), max(part.max() for part in every)
    margin = 0.05 * (high - low or 1.0)

    def paint(ax: Any, curve: "Curve") -> None:
        ax.axhline(0.0, color=GREY, linewidth=0.8, linestyle=":")
        ax.plot(curve.x, curve.contribution, color=POSITIVE, linewidth=1.8)
        ax.set_ylim(low - margin, high + margin)
        label_axes(ax, "", "adds to the score", "best")

    pictures = ""
    for k, each in enumerate(report.curves[:MOST_CURVES]):
        drawn = draw(
            f"curve{k}", "contribution to the score", SMALL_PICTURE, partial(paint, curve=each.curve)
        )
        pictures += figure(drawn, each.column)
    return f'<h2>Curves</h2>{paragraph(ABOUT_CURVES)}<div class="grid small">{pictures}</div>'


def _effect_cells(each: Effect, scale: float) -> list[str | Bar]:
    if math.isnan(each.weight):  # a curve
        bar = Bar(each.effect / scale, signed=False)
        return [each.feature, bar, f"±{each.effect:.3g}", "–", "–", "–"]
    low, high = [end / scale for end in each.interval] or (None, None)
    bar = Bar(each.effect / scale, low, high)
    interval = "–" if each.low is None else f"{each.low:+.3g} to {each.high:+.3g}"
    spread = "–" if each.spread is None else f"{each.spread:.4g}"
    return [each.feature, bar, f"{each.effect:+.3g}", f"{each.weight:+.4g}", interval, spread]


def glossary(report: Report) -> str:
    """The words of the page."""
    words = [
        ("AUC", "share of pairs of a positive and a negative row in which the positive one scores higher"),
        ("recall", "share of the positive rows that are alerted"),
        ("precision", "share of positives among the rows alerted"),
        ("lift", "precision in units of that of a random choice"),
        ("average precision", "mean over the positive rows of the precision at their score"),
        ("interval", "would cover the true value for 95 of 100 samples of rows like these"),
    ]
    return "<h2>Words</h2>" + facts(words)
