"""How ``l2="auto"`` was chosen on half of the data sets and evaluated on the other half.

    AUCMAX_DATA=... python benchmarks/batch_l2.py

Each training part is cross-validated for values ``l2 = factor * within / rarer``: ``within`` is the mean
squared distance of a row from the mean of its class, ``rarer`` the number of rows of the rarer class. In
alphabetical order, every second data set is used to choose the factor, the one that loses least AUC on
average against the best factor of each set. The second table shows its test AUC on the other sets, beside
that of l2 chosen by cross-validation.
"""

import numpy as np
from batch_data import load, names

from aucmax.batch.classifier import AUCClassifier
from aucmax.batch.cv import AUCClassifierCV

SKIP = ("fourclass", "madelon", "heart_scale", "australian_scale")  # not linear, or copies of others
FACTORS = np.logspace(-3, 3, 13)


def auto(data):
    return AUCClassifier().fit(data.X, data.y)


def main() -> None:
    usable = [name for name in names() if name not in SKIP]
    chosen_on, evaluated_on = sorted(usable)[::2], sorted(usable)[1::2]
    print("Chosen on: mean AUC over folds lost against the best factor, in units of 1e-4")
    print(f"{'data':<20}" + "".join(f"{f:>8.0e}" for f in FACTORS))
    lost = []
    for name in chosen_on:
        data = load(name)
        l2s = auto(data).l2_ * FACTORS
        mean = AUCClassifierCV(l2s=l2s).fit(data.X, data.y).scores_.mean(axis=1)
        lost.append(mean.max() - mean)
        print(f"{name:<20}" + "".join(f"{1e4 * x:8.0f}" for x in lost[-1]), flush=True)
    total = np.mean(lost, axis=0)
    print(f"{'mean':<20}" + "".join(f"{1e4 * x:8.0f}" for x in total))
    print(f"\nEvaluated on: test AUC; the factor chosen above is {FACTORS[np.argmin(total)]:.0e}")
    print(f"{'data':<20}{'auto':>10}{'by CV':>10}")
    for name in evaluated_on:
        data = load(name)
        searched = AUCClassifierCV().fit(data.X, data.y).score(data.X_test, data.y_test)
        print(f"{name:<20}{auto(data).score(data.X_test, data.y_test):10.4f}{searched:10.4f}", flush=True)


if __name__ == "__main__":
    main()
