"""Metrics of a ranked list, row by row in exact fractions."""

from fractions import Fraction
from itertools import groupby


def ranked_groups(y, score, weight):
    """Positive and negative weight of each group of equal scores, from the highest down."""
    rows = sorted(zip(score, y, weight, strict=True), key=lambda row: -row[0])
    for _, group in groupby(rows, key=lambda row: row[0]):
        members = list(group)
        yield sum(w for _, label, w in members if label), sum(w for _, label, w in members if not label)


def partial_area(y, score, weight, max_fpr, min_tpr):
    """Area of the part of each trapezium under the curve that lies in the region; give rates as fractions."""
    positives = sum(w for label, w in zip(y, weight, strict=True) if label)
    negatives = sum(weight) - positives
    area, x0, y0 = Fraction(0), Fraction(0), Fraction(0)
    for positive, negative in ranked_groups(y, score, weight):
        x1, y1 = x0 + Fraction(negative) / negatives, y0 + Fraction(positive) / positives
        if x1 > x0:
            slope = (y1 - y0) / (x1 - x0)
            end = min(x1, max(x0, max_fpr))
            begin = x0
            if slope > 0:
                begin = min(end, max(x0, x0 + (min_tpr - y0) / slope))
            elif y0 <= min_tpr:
                begin = end
            heights = [y0 + slope * (x - x0) - min_tpr for x in (begin, end)]
            area += (end - begin) * sum(heights) / 2
        x0, y0 = x1, y1
    return area


def influence(y, score, max_fpr, min_tpr):
    """For each row, the change of the area by a little more weight on it, times the rows of its class.

    Central differences: where the region ends at a corner of the curve, the mean of both derivatives.
    """
    step, found = Fraction(1, 10**12), []
    sizes = {label: sum(other == label for other in y) for label in set(y)}
    for row, label in enumerate(y):
        areas = []
        for sign in (1, -1):
            weight = [Fraction(1)] * len(y)
            weight[row] += sign * step
            areas.append(partial_area(y, score, weight, max_fpr, min_tpr))
        found.append(float((areas[0] - areas[1]) / (2 * step) * sizes[label]))
    return found


def expected_hits(y, score, weight, cut):
    """Positive weight among the highest scores up to a total weight, on average over the order of ties."""
    left, hits = Fraction(cut), Fraction(0)
    for positive, negative in ranked_groups(y, score, weight):
        size = positive + negative
        if size == 0:
            continue
        taken = min(left, size)
        hits += positive * taken / size
        left -= taken
    return hits


def operating_threshold(y, score, weight, goal, value):
    """The threshold for a goal, by trying every score and one above all; None if no score reaches it."""
    rows = [row for row in zip(y, score, weight, strict=True) if row[2] > 0]
    positives = sum(w for label, _, w in rows if label)
    total = sum(w for _, _, w in rows)
    found = []
    for threshold in [*sorted({s for _, s, _ in rows}), None]:
        above = [(label, w) for label, s, w in rows if threshold is not None and s >= threshold]
        hits, alerts = sum(w for label, w in above if label), sum(w for _, w in above)
        found.append((threshold, hits, alerts))
    if goal == "recall":
        return max(t for t, hits, _ in found if t is not None and Fraction(hits, positives) >= value)
    if goal == "precision":
        good = [t for t, hits, alerts in found if alerts and Fraction(hits, alerts) >= value]
        return min(good, default=None)
    if goal == "alerts":
        most = value * total if value < 1 else value
        return min((t for t, _, alerts in found if 0 < alerts <= most), default=None)
    costs = [value[0] * (alerts - hits) + value[1] * (positives - hits) for _, hits, alerts in found]
    best = [t for (t, _, _), cost in zip(found, costs, strict=True) if cost == min(costs)]
    return float("inf") if best[-1] is None else best[-1]
