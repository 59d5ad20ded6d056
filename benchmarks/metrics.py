"""Speed of the metrics compared with scikit-learn, and coverage of the confidence intervals.

Run ``python benchmarks/metrics.py [speed] [width] [coverage] [partial] [top]``; without a name, all five. The
last three simulate how often 95 % intervals cover the truth.
Times are processor seconds on one core, which other programs disturb least: the shortest of several rounds in
which all functions run.
"""

import math
import sys
import time

import numpy as np
from scipy import optimize, stats
from sklearn.metrics import average_precision_score, roc_auc_score
from timing import shortest

from aucmax.metrics import (
    StreamingAUC,
    auc,
    auc_difference,
    auc_interval,
    average_precision,
    partial_auc,
    partial_auc_interval,
    top,
)
from aucmax.metrics.wilson import wilson_interval

ROWS = 10**7


def stream(y, score, chunk):
    """StreamingAUC of all rows, updated in chunks."""
    result = StreamingAUC()
    for start in range(0, y.size, chunk):
        result.update(y[start : start + chunk], score[start : start + chunk])
    return result.value


def speed():
    rng = np.random.default_rng(0)
    y = (rng.random(ROWS) < 0.1).astype(int)
    score = rng.normal(size=ROWS) + y
    single, weight = score.astype(np.float32), rng.random(ROWS)
    runs = {
        "roc_auc_score": lambda: roc_auc_score(y, score),
        "auc": lambda: auc(y, score),
        "auc, float32": lambda: auc(y, single),
        "auc, weights": lambda: auc(y, score, weight),
        "auc_interval": lambda: auc_interval(y, score),
        "auc_difference": lambda: auc_difference(y, score, weight),
        "partial_auc(max_fpr=0.1)": lambda: partial_auc(y, score, max_fpr=0.1),
        "partial_auc_interval(max_fpr=0.1)": lambda: partial_auc_interval(y, score, max_fpr=0.1),
        "auc_difference(max_fpr=0.1)": lambda: auc_difference(y, score, weight, max_fpr=0.1),
        "top": lambda: top(y, score),
        "average_precision_score": lambda: average_precision_score(y, score),
        "average_precision": lambda: average_precision(y, score),
        "StreamingAUC, one chunk": lambda: stream(y, score, ROWS),
        "StreamingAUC, chunks of 10,000": lambda: stream(y, score, 10_000),
    }
    times = shortest(runs, 4, time.process_time, warm_up=True)
    print(f"{ROWS:,} scores\n\n{'':36}{'seconds':>8}{'of auc':>9}{'million/s':>11}")
    for name, seconds in times.items():
        print(f"{name:36}{seconds:8.3f}{seconds / times['auc']:9.2f}{ROWS / seconds / 1e6:11.1f}")


def width():
    rng = np.random.default_rng(0)
    y = rng.random(10**6) < 0.1
    normal = rng.normal(size=y.size) + y
    shapes = {
        "normal": normal,
        "uniform": rng.random(y.size) ** (1 / (1 + y)),
        "Cauchy": rng.standard_cauchy(y.size) + y,
        "sigmoid(2 normal)": 1 / (1 + np.exp(-2 * normal)),
        "sigmoid(8 normal)": 1 / (1 + np.exp(-8 * normal)),
    }
    print(f"{y.size:,} distinct scores: width of the bounds, and error of the value\n")
    capacities = (1024, 4096, 16384, 65536)
    print(f"{'capacity':20}" + "".join(f"{capacity:>18,}" for capacity in capacities))
    for name, score in shapes.items():
        cells = []
        for capacity in capacities:
            result = StreamingAUC(capacity).update(y, score)
            low, high = result.bounds
            cells.append(f"{high - low:.1e} {abs(result.value - auc(y, score)):.0e}")
        print(f"{name:20}" + "".join(f"{cell:>18}" for cell in cells))


def coverage():
    print("share of 95 % intervals that cover the true AUC; normal scores, percent")
    print("spread: standard deviation of the positives over that of the negatives\n")
    print(f"{'n+':>6}{'n-':>8}{'spread':>8}{'repeats':>9}{'AUC .6':>9}{'AUC .8':>9}{'AUC .95':>9}")
    for n_pos, n_neg, spread, repeats in (
        (20, 100, 1, 20000),
        (100, 500, 1, 20000),
        (1000, 5000, 1, 5000),
        (20, 20, 1, 20000),
        (20, 1000, 1, 10000),
        (100, 10000, 1, 5000),
        (20, 100, 2, 10000),
        (100, 500, 2, 10000),
        (1000, 5000, 2, 5000),
    ):
        shares = [100 * covered(n_pos, n_neg, spread, truth, repeats) for truth in (0.6, 0.8, 0.95)]
        print(f"{n_pos:6}{n_neg:8}{spread:8}{repeats:9}" + "".join(f"{share:9.1f}" for share in shares))


def covered(n_pos, n_neg, spread, truth, repeats):
    """Share of samples of two normal classes whose interval holds the true AUC."""
    rng = np.random.default_rng(n_pos + n_neg)
    y = np.repeat([1, 0], [n_pos, n_neg])
    shift = math.sqrt(1 + spread**2) * stats.norm.ppf(truth) * y
    scale = np.where(y, spread, 1)
    hits = 0
    for _ in range(repeats):
        _, low, high, _ = auc_interval(y, scale * rng.normal(size=y.size) + shift)
        hits += low <= truth <= high
    return hits / repeats


def coverage_of_partial_auc():
    print("share of 95 % intervals that cover the true partial AUC; normal scores, percent")
    print("share: the true area over that of the best curve\n")
    shares = (0.2, 0.5, 0.8, 0.95)
    head = "".join(f"{f'share {share}':>12}" for share in shares)
    print(f"{'n+':>6}{'n-':>8}{'max_fpr':>9}{'repeats':>9}{head}")
    for n_pos, n_neg, max_fpr, repeats in (
        (20, 100, 0.1, 2000),
        (20, 1000, 0.05, 2000),
        (100, 500, 0.05, 2000),
        (100, 10_000, 0.01, 1000),
        (1000, 5000, 0.01, 1000),
        (1000, 5000, 0.1, 1000),
        (100, 500, 0.01, 2000),
        (40, 40, 0.05, 2000),
    ):
        cells = [100 * partial_covered(n_pos, n_neg, max_fpr, share, repeats) for share in shares]
        print(f"{n_pos:6}{n_neg:8}{max_fpr:9}{repeats:9}" + "".join(f"{cell:12.1f}" for cell in cells))


def partial_covered(n_pos, n_neg, max_fpr, share, repeats):
    """Share of samples of two normal classes whose interval holds the true partial AUC."""
    at = stats.norm.isf((np.arange(100_000) + 0.5) / 100_000 * max_fpr)
    shift = optimize.brentq(lambda d: stats.norm.sf(at - d).mean() - share, -10, 10)
    rng = np.random.default_rng(n_pos + n_neg)
    y, hits = np.repeat([1, 0], [n_pos, n_neg]), 0
    for _ in range(repeats):
        _, low, high, _ = partial_auc_interval(y, rng.normal(size=y.size) + shift * y, max_fpr)
        hits += low <= share * max_fpr <= high
    return hits / repeats


def coverage_of_top():
    print("share of 95 % intervals that cover the true recall and precision; normal scores, percent")
    print("in brackets: a plain Wilson interval\n")
    print(f"{'rows':>6}{'positive':>10}{'shift':>7}{'top':>6}{'recall':>8}{'precision':>11}", end="")
    print(f"{'recall covered':>20}{'precision covered':>20}")
    for rows, positive, shift in ((1000, 0.03, 1.5), (1000, 0.3, 1.5), (10_000, 0.01, 3), (10_000, 0.1, 3)):
        for share in (0.01, 0.05, 0.1, 0.3):
            recall, precision, shares = top_covered(rows, positive, shift, share)
            cells = [f"{100 * ours:.1f} ({100 * plain:.1f})" for ours, plain in shares]
            print(f"{rows:6}{positive:10}{shift:7}{share:6}{recall:8.3f}{precision:11.3f}", end="")
            print("".join(f"{cell:>20}" for cell in cells))


def top_covered(rows, positive, shift, share, repeats=2000):
    """True recall and precision, and how often both intervals of either hold them."""

    def excess(cut):
        return positive * stats.norm.sf(cut - shift) + (1 - positive) * stats.norm.sf(cut) - share

    recall = stats.norm.sf(optimize.brentq(excess, -20, 20) - shift)
    truth = recall, recall * positive / share
    rng, hits = np.random.default_rng(0), np.zeros((2, 2))
    for _ in range(repeats):
        y = rng.random(rows) < positive
        (found,) = top(y, rng.normal(size=rows) + shift * y, share)
        for k, (rate, n) in enumerate(((found.recall, y.sum()), (found.precision, found.alerts))):
            low, high = wilson_interval(rate.value, n, 0.95)
            hits[k] += rate.low <= truth[k] <= rate.high, low <= truth[k] <= high
    return *truth, hits / repeats


if __name__ == "__main__":
    tables = {
        "speed": speed,
        "width": width,
        "coverage": coverage,
        "partial": coverage_of_partial_auc,
        "top": coverage_of_top,
    }
    for name in sys.argv[1:] or tables:
        tables[name]()
        print()
