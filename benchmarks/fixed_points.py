"""Distance of SPDAM and VRSPAM to the exact minimiser after each pass; its logarithm falls linearly.

    python benchmarks/fixed_points.py [--data a9a news20] [--l2 1e-3] [--passes 60]

SPDAM (batches of 1, 10, 10 % and all rows) and VRSPAM minimise the same function, the mean squared
pair loss plus l2/2 |w|^2, on rows of norm one; more than two labels become even against odd. A stage of
VRSPAM counts as two passes, and it makes two more before the first. The last columns: digits gained per pass
over the second half of the curve down to 1e-9, and the first pass with a distance of at most 1e-6.
"""

import argparse

import numpy as np
from datasets import larger_or_even, read
from sklearn.preprocessing import normalize

from aucmax import SPDAM, VRSPAM, AUCClassifier
from aucmax.reproduction.diagnostics import relative_distance
from aucmax.reproduction.trajectories import trace_passes

SHOWN = (2, 4, 8, 12, 16, 20, 24, 28, 30, 40, 50, 60)


def distances(model, X, y, best):
    """A line of the table: distances to the minimiser by passes, the slope, and the first pass at 1e-6."""
    snapshots = trace_passes(model, X, y, range(1, model.max_iter + 1))
    errors = {snapshot.passes: relative_distance(snapshot.observed, best) for snapshot in snapshots}
    cells = [f"{errors[k]:8.0e}" if k in errors else " " * 8 for k in SHOWN]
    line = [(k, np.log10(error)) for k, error in errors.items() if error > 1e-9]
    (k0, first), (k1, last) = line[len(line) // 2], line[-1]
    reached = [k for k, error in errors.items() if error <= 1e-6]
    return "".join(cells) + f"{(first - last) / (k1 - k0):8.2f}{min(reached, default='-'):>6}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", nargs="+", default=["a9a", "news20"])
    parser.add_argument("--l2", type=float, default=1e-3, help="of AUCClassifier(standardize=False)")
    parser.add_argument("--passes", type=int, default=60)
    options = parser.parse_args()
    for name in options.data:
        X, labels = read(name)
        X, y = normalize(X), larger_or_even(labels)
        p, l2, passes = y.mean(), options.l2, options.passes
        best = AUCClassifier("squared", l2=l2, standardize=False, tol=1e-12, max_iter=1000).fit(X, y).coef_[0]
        print(f"\n{name}: {X.shape[0]} x {X.shape[1]}, p = {p:.3f}, l2 = {l2:g}")
        print(f"{'passes':14}" + "".join(f"{k:8d}" for k in SHOWN) + "  digits  1e-6")
        for size in (1, 10, 0.1, len(y)):
            shown = "all" if size == len(y) else size
            model = SPDAM(l2 / 2, batch_size=size, max_iter=passes, random_state=0)
            print(f"SPDAM m={shown!s:6}" + distances(model, X, y, best), flush=True)
        model = VRSPAM(l2 * p * (1 - p), max_iter=passes // 2 - 1, random_state=0)
        print(f"{'VRSPAM':14}" + distances(model, X, y, best), flush=True)


if __name__ == "__main__":
    main()
