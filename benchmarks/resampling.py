"""Class weights and resampling before logistic regression: what they do to AUC, the top and probabilities.

    AUCMAX_DATA=... python benchmarks/resampling.py [DATA ...] [--splits 5]

The positive class is the rarest one of each data set, thinned at random to at most 5 % of the rows; at most
6,000 rows and a million cells, 60 % of them for training; sets with fewer than 25 positive training rows are
left out. Logistic regression sees standardised columns; its C is chosen by 3-fold AUC for each treatment,
and rows are resampled within the folds. SMOTE is that of imbalanced-learn. Differences are against plain
logistic regression, means over the splits of a set; the summary has their mean over the sets with a 95 %
interval, the share of sets that gain, and the mean probability over the share of positives, which should
be 1.
"""

import argparse
import warnings

import numpy as np
from imblearn.over_sampling import SMOTE, RandomOverSampler
from imblearn.pipeline import make_pipeline
from imblearn.under_sampling import RandomUnderSampler
from raw_columns import dense_names, read
from scipy.stats import t
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV
from aucmax.metrics import auc, average_precision, partial_auc

COPIES = "australian_scale", "heart_scale"
MAX_SHARE, MAX_ROWS, MAX_CELLS, MIN_POSITIVES = 0.05, 6000, 1e6, 25
MEASURES = "AUC", "AUC to .05", "average precision"


def treatments(seed):
    """Logistic regression after each treatment of the classes, and ours without one."""
    steps = {
        "plain": [LogisticRegression(max_iter=1000)],
        "class_weight='balanced'": [LogisticRegression(class_weight="balanced", max_iter=1000)],
        "positives repeated": [RandomOverSampler(random_state=seed), LogisticRegression(max_iter=1000)],
        "SMOTE": [SMOTE(random_state=seed), LogisticRegression(max_iter=1000)],
        "negatives dropped": [RandomUnderSampler(random_state=seed), LogisticRegression(max_iter=1000)],
    }
    grid = {"logisticregression__C": np.logspace(-3, 2, 6)}
    models = {
        name: GridSearchCV(make_pipeline(StandardScaler(), *each), grid, scoring="roc_auc", cv=3)
        for name, each in steps.items()
    }
    ours = {"AUCClassifierCV()": AUCClassifierCV(), "max_fpr=0.05": AUCClassifierCV(max_fpr=0.05)}
    return models | ours


def draw_rows(X, labels, seed):
    """Rows with rare positives, and whether each is positive; None where these are too few."""
    classes, counts = np.unique(labels, return_counts=True)
    y = labels == classes[counts.argmin()]
    rng = np.random.default_rng(seed)
    positive, negative = (rng.permutation(np.flatnonzero(mask)) for mask in (y, ~y))
    n_rows = int(min(MAX_ROWS, MAX_CELLS / X.shape[1], len(negative) / (1 - MAX_SHARE)))
    n_positive = min(int(MAX_SHARE * n_rows), int(n_rows * y.mean()))
    rows = np.concatenate([positive[:n_positive], negative[: n_rows - n_positive]])
    return (X[rows].toarray(), y[rows].astype(int)) if 0.6 * n_positive >= MIN_POSITIVES else None


def one_split(X, y, seed):
    """The measures, and the mean probability over the share of positives, of each model."""
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.4, stratify=y, random_state=seed)
    found = []
    for model in treatments(seed).values():
        probability = model.fit(X, y).predict_proba(X_test)[:, 1]
        score = model.decision_function(X_test)
        partial = partial_auc(y_test, score, 0.05, standardized=True)
        areas = auc(y_test, score), partial, average_precision(y_test, score)
        found.append([*areas, probability.mean() / y_test.mean()])
    return found


def summarise(names, found):
    """A table in Markdown: means over the sets, with intervals."""
    head = " | ".join(f"{measure} | sets that gain" for measure in MEASURES)
    print(f"\n{len(found)} sets\n| | {head} | probability |")
    print("|---" * (2 + 2 * len(MEASURES)) + "|")
    for row, name in enumerate(names):
        cells = []
        for measure in range(len(MEASURES)):
            difference = found[:, row, measure] - found[:, 0, measure]
            half = t.ppf(0.975, len(found) - 1) * difference.std(ddof=1) / len(found) ** 0.5
            mean = difference.mean()
            cells += [
                f"{mean:+.4f} ({mean - half:+.4f} to {mean + half:+.4f})",
                f"{np.mean(difference > 0):.0%}",
            ]
        print(f"| {name} |", " | ".join(cells), f"| {np.median(found[:, row, -1]):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="*")
    parser.add_argument("--splits", type=int, default=5)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names, found = list(treatments(0)), []
    print(f"{'':22}{'rows':>6}{'positive':>9}{'plain':>8}" + "".join(f"{name:>25}" for name in names[1:]))
    for data in [name for name in dense_names(options.data) if name not in COPIES]:
        X, labels = read(data)
        drawn = [draw_rows(X, labels, seed) for seed in range(options.splits)]
        if any(each is None for each in drawn):
            continue
        found.append(np.mean([one_split(*each, seed) for seed, each in enumerate(drawn)], axis=0))
        area = found[-1][:, 0]
        line = "".join(f"{value - area[0]:+25.4f}" for value in area[1:])
        print(f"{data:22}{len(drawn[0][1]):6}{drawn[0][1].mean():9.3f}{area[0]:8.4f}{line}", flush=True)
    summarise(names, np.array(found))


if __name__ == "__main__":
    main()
