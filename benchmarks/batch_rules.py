"""How AUCClassifierCV chooses l2 and loss, and how columns are scaled: rules compared on many small problems.

    AUCMAX_DATA=... python benchmarks/batch_rules.py rules|losses|spreads [SPLITS]

The problems are the small data sets, split 80/20, and rows drawn from the larger ones: 300 and 1500 at
random, 20 positives of 600 and 60 of 1500. `rules`: test AUC at the l2 that each rule takes from the same
folds (5 folds, drawn 5 times), at the default l2, and of logistic regression on standardised columns with C
by 5-fold AUC. A rule takes, of the values whose mean AUC is within some standard errors of the best, that
nearest to the default. `losses`: the sigmoid, where its AUC on the held-out rows is higher than that of the
squared hinge by more than some standard errors, corrected for folds that share rows or (plain) not.
`spreads`: test AUC if columns are divided by the standard deviation within classes, both counted alike or all
rows counted alike, or by the standard deviation. Means over all problems, and over every other one.
"""

import sys
import warnings

import numpy as np
from datasets import TEXT, names
from raw_columns import binary, tuned_logistic
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.metrics import auc

SKIP = ("australian_scale", "heart_scale")  # copies of others
SMALL = 5000
MOST_ROWS = 30_000  # of a larger set, from which rows are drawn
DRAWN = {"300": (300, None), "1500": (1500, None), "20 of 600": (600, 20), "60 of 1500": (1500, 60)}
REPEATS = 5
SHARES = 10.0 ** np.arange(-3.0, 3.1, 0.5)  # l2 in units of the default


def problems(seed: int):
    """Name, training and test rows of each problem."""
    for name in sorted(name for name in names() if name not in TEXT and name not in SKIP):
        X, y = binary(name)
        if len(y) <= SMALL:
            yield name, *train_test_split(X.toarray(), y, test_size=0.2, stratify=y, random_state=seed)
            continue
        order = np.random.default_rng(seed).permutation(len(y))[:MOST_ROWS]
        X, y = X[order].toarray(), y[order]
        for drawn, (n, n_pos) in DRAWN.items():
            chosen = np.arange(n)
            if n_pos is not None:
                chosen = np.r_[np.flatnonzero(y)[:n_pos], np.flatnonzero(y == 0)[: n - n_pos]]
            rest = np.setdiff1d(np.arange(len(y)), chosen)[:8000]
            yield f"{name}, {drawn}", X[chosen], X[rest], y[chosen], y[rest]


def choose(scores: np.ndarray, errors: float) -> int:
    """Of the values within some standard errors of the best, fold by fold, the nearest to the default."""
    best = scores[scores.mean(axis=1).argmax()]
    difference = best - scores
    error = difference.std(axis=1, ddof=1) / np.sqrt(scores.shape[1])
    good = np.flatnonzero(difference.mean(axis=1) <= errors * error)
    return int(good[np.argmin(np.abs(np.log(SHARES[good])))])


def compare_rules(X, X_test, y, y_test) -> dict[str, float]:
    default = AUCClassifier().fit(X, y)
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=REPEATS, random_state=0)
    scores = AUCClassifierCV("squared_hinge", l2s=default.l2_ * SHARES, cv=folds).fit(X, y).scores_
    test = [AUCClassifier(l2=default.l2_ * share).fit(X, y).score(X_test, y_test) for share in SHARES]
    found = {"default": default.score(X_test, y_test), "best l2 on the test rows": max(test)}
    for repeats in (1, REPEATS):
        for errors in (0.0, 0.5, 1.0, 2.0):
            rule = f"{errors:g} standard errors, folds drawn {repeats}x"
            found[rule] = test[choose(scores[:, : 5 * repeats], errors)]
    found["logistic regression"] = auc(y_test, tuned_logistic(X, y).decision_function(X_test))
    return found


def compare_losses(X, X_test, y, y_test) -> dict[str, float]:
    found, held_out = {}, []
    for loss in ("squared_hinge", "sigmoid"):
        model = AUCClassifierCV(loss).fit(X, y)
        found[loss] = model.score(X_test, y_test)
        held_out.append(model.scores_[model.scores_.mean(axis=1).argmax()])
    difference = held_out[1] - held_out[0]
    error = difference.std(ddof=1) * np.sqrt(1.0 / len(difference) + 0.25)
    plain = difference.std(ddof=1) / np.sqrt(len(difference))
    better = difference.mean() > 0.5 * plain
    found["sigmoid if better by 0.5 standard errors, plain"] = found["sigmoid" if better else "squared_hinge"]
    for errors in (0.0, 0.25, 0.5, 1.0, 2.0):
        better = difference.mean() > errors * error
        found[f"sigmoid if better by {errors:g} standard errors"] = found[
            "sigmoid" if better else "squared_hinge"
        ]
    return found


def compare_spreads(X, X_test, y, y_test) -> dict[str, float]:
    pos, neg, share = X[y == 1].var(axis=0), X[y == 0].var(axis=0), y.mean()
    variances = {
        "within classes, both counted alike": 0.5 * (pos + neg),
        "within classes, all rows counted alike": share * pos + (1 - share) * neg,
        "standard deviation": X.var(axis=0),
    }
    found = {}
    for spread, variance in variances.items():
        size = np.where(variance > 1e-20 * (X**2).max(axis=0), np.sqrt(variance), np.inf)
        for model in (AUCClassifier(standardize=False), AUCClassifierCV(standardize=False)):
            label = f"{spread}, {type(model).__name__}"
            found[label] = model.fit(X / size, y).score(X_test / size, y_test)
    return found


def main() -> None:
    compare = {"rules": compare_rules, "losses": compare_losses, "spreads": compare_spreads}[sys.argv[1]]
    splits = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    warnings.simplefilter("ignore")
    found: dict[str, list[dict[str, float]]] = {}
    for seed in range(splits):
        for name, *parts in problems(seed):
            found.setdefault(name, []).append(compare(*parts))
    columns = list(next(iter(found.values()))[0])
    table = np.array(
        [[np.mean([row[column] for row in rows]) for column in columns] for rows in found.values()]
    )
    print(f"{len(table)} problems, {splits} splits each")
    print(f"{'':<58}{'all':>8}{'odd':>8}{'even':>8}")
    for column, values in zip(columns, table.T, strict=True):
        print(f"{column:<58}{values.mean():8.4f}{values[::2].mean():8.4f}{values[1::2].mean():8.4f}")


if __name__ == "__main__":
    main()
