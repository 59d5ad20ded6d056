"""Speed of the metrics compared with scikit-learn, and coverage of the confidence intervals.

Run ``python benchmarks/metrics.py [speed] [width] [coverage]``; without a name, all three.
Times are processor seconds on one core, which other programs disturb least: the shortest of several rounds in
which all functions run.
"""

import math
import sys
import time

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

from aucmax.metrics import StreamingAUC, auc, auc_difference, auc_interval, partial_auc

ROWS = 10**7


def shortest_times(runs, rounds=4):
    """Shortest time of each run over several rounds, after one for warming up."""
    best = dict.fromkeys(runs, math.inf)
    for number in range(rounds + 1):
        for name, run in runs.items():
            start = time.process_time()
            run()
            if number:
                best[name] = min(best[name], time.process_time() - start)
    return best


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
    times = shortest_times(
        {
            "roc_auc_score": lambda: roc_auc_score(y, score),
            "auc": lambda: auc(y, score),
            "auc, float32": lambda: auc(y, single),
            "auc, weights": lambda: auc(y, score, weight),
            "auc_interval": lambda: auc_interval(y, score),
            "auc_difference": lambda: auc_difference(y, score, weight),
            "partial_auc(max_fpr=0.1)": lambda: partial_auc(y, score, max_fpr=0.1),
            "StreamingAUC, one chunk": lambda: stream(y, score, ROWS),
            "StreamingAUC, chunks of 10,000": lambda: stream(y, score, 10_000),
        }
    )
    print(f"{ROWS:,} scores\n\n{'':32}{'seconds':>8}{'of auc':>9}{'million/s':>11}")
    for name, seconds in times.items():
        print(f"{name:32}{seconds:8.3f}{seconds / times['auc']:9.2f}{ROWS / seconds / 1e6:11.1f}")


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


if __name__ == "__main__":
    for name in sys.argv[1:] or ("speed", "width", "coverage"):
        {"speed": speed, "width": width, "coverage": coverage}[name]()
        print()
