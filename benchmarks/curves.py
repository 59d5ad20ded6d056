"""Curves chosen by cross-validation against straight lines: AUC on rows that neither has seen.

    AUCMAX_DATA=FOLDER python benchmarks/curves.py [--splits 5] [--knots]

Raw columns of small and medium data sets; of several classes, the rarest one against the others. Each split
trains on two thirds of the rows, at most 2,000, and is judged on up to 20,000 others. "chosen" is what
`aucmax train --curves` keeps: that of the two with the higher AUC in cross-validation on the training rows.
With --knots, other numbers of knots are tried.
"""

import argparse
import warnings

import numpy as np
from datasets import read
from sklearn.metrics import roc_auc_score

from aucmax import AUCClassifierCV
from aucmax.io.columns import curves
from aucmax.io.columns.encoding import ColumnEncoding, TableEncoding

SETS = (
    "australian breast-cancer_scale cod-rna covtype diabetes fourclass german.numer heart ijcnn1 ionosphere "
    "letter.scale magic04 pendigits satimage.scale segment.scale skin_nonskin sonar_scale svmguide1 "
    "svmguide3 vehicle.scale vowel.scale"
)


def load(name):
    X, y = read(name)
    classes, counts = np.unique(y, return_counts=True)
    return X.toarray(), y == classes[counts.argmin()]


def fit(X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = AUCClassifierCV().fit(X, y)
    best = int(abs(model.l2s_ - model.l2_).argmin())
    return model, model.scores_[best].mean()


def one_split(X, y, seed):
    """Test AUC of straight lines, of curves, and of the one chosen by cross-validation."""
    order = np.random.default_rng(seed).permutation(len(y))
    n_train = min(2000, 2 * len(y) // 3)
    train, test = order[:n_train], order[n_train : n_train + 20_000]
    columns = tuple(ColumnEncoding(str(k), "number") for k in range(X.shape[1]))
    encoding = curves.learn_curves(X[train], TableEncoding(columns))
    found, held_out = [], []
    for prepare in (lambda rows: rows, lambda rows: curves.apply_curves(rows, encoding)):
        model, score = fit(prepare(X[train]), y[train])
        found.append(roc_auc_score(y[test], model.decision_function(prepare(X[test]))))
        held_out.append(score)
    return [*found, found[int(held_out[1] > held_out[0])]]


def table(splits):
    gains = []
    print(f"{'':20}{'lines':>9}{'curves':>9}{'chosen':>9}{'gain':>9}")
    for name in SETS.split():
        X, y = load(name)
        line, curve, chosen = np.mean([one_split(X, y, seed) for seed in range(splits)], axis=0)
        gains.append(chosen - line)
        print(f"{name:20}{line:9.4f}{curve:9.4f}{chosen:9.4f}{chosen - line:+9.4f}", flush=True)
    print(
        f"gain of what is chosen: mean {np.mean(gains):+.4f}, median {np.median(gains):+.4f}, "
        f"worst {np.min(gains):+.4f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--knots", action="store_true")
    args = parser.parse_args()
    for n_knots in (4, 5, 7) if args.knots else (curves.N_KNOTS,):
        print(f"{n_knots} knots")
        curves.N_KNOTS = n_knots
        table(args.splits)


if __name__ == "__main__":
    main()
