"""How ``l2="auto"`` was chosen: on some data sets, judged on the others.

    AUCMAX_DATA=... python benchmarks/batch_l2.py

For each data set the training part is cross-validated along ``l2 = factor * within``, where ``within`` is the mean
squared distance of a row from the mean of its class. The factor with the smallest mean loss of AUC against the best
factor of each set is chosen on every other data set in alphabetical order; the second table shows, on the rest, the
test AUC of that factor beside that of the factor chosen by cross-validation for each set alone.
"""

import numpy as np
from batch_data import load, names

from aucmax.batch.classifier import AUCClassifier
from aucmax.batch.cv import AUCClassifierCV

SKIP = ("fourclass", "heart_scale", "australian_scale")  # twins of others, or not linear at all


def paths(name: str):
    data = load(name)
    model = AUCClassifierCV().fit(data.X, data.y)
    return data, model, model.scores_.mean(axis=1)


def main() -> None:
    chosen_on = [name for k, name in enumerate(sorted(set(names()) - set(SKIP))) if k % 2 == 0]
    judged_on = [name for k, name in enumerate(sorted(set(names()) - set(SKIP))) if k % 2]
    factors = np.logspace(-6, 0, 13)
    print("Chosen on: mean AUC over folds lost against the best factor, in units of 1e-4")
    print(f"{'data':<20}" + "".join(f"{f:>8.0e}" for f in factors))
    lost = []
    for name in chosen_on:
        _, _, mean = paths(name)
        lost.append(mean.max() - mean)
        print(f"{name:<20}" + "".join(f"{1e4 * x:8.0f}" for x in lost[-1]), flush=True)
    total = np.mean(lost, axis=0)
    print(f"{'mean':<20}" + "".join(f"{1e4 * x:8.0f}" for x in total))
    factor = factors[np.argmin(total)]
    print(f"\nJudged on: test AUC with the factor {factor:.0e}, and with l2 by cross-validation")
    print(f"{'data':<20}{'factor':>10}{'CV':>10}{'default':>10}")
    for name in judged_on:
        data, model, _ = paths(name)
        within = model.l2s_[-1]
        fixed = AUCClassifier(l2=factor * within).fit(data.X, data.y).score(data.X_test, data.y_test)
        default = AUCClassifier().fit(data.X, data.y).score(data.X_test, data.y_test)
        print(
            f"{name:<20}{fixed:10.4f}{model.score(data.X_test, data.y_test):10.4f}{default:10.4f}", flush=True
        )


if __name__ == "__main__":
    main()
