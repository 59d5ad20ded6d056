"""One pass of OnlineAUCClassifier at the top of the list, beside batch models.

    AUCMAX_DATA=... python benchmarks/online_top.py [DATA ...] [--splits N]

AUC, standardised partial AUC up to a false positive rate of .05, and average precision on 20 % of the rows,
means over random splits. Trained on at most 20,000 of the others: OnlineAUCClassifier in one pass with its
defaults, the squared hinge and the exponential loss, which punishes negatives at the top most; averaged SGD
of the logistic loss on standardised columns; AUCClassifierCV, judged by AUC and by partial AUC.
"""

import argparse
import warnings

import numpy as np
from online import problem
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV, OnlineAUCClassifier
from aucmax.metrics import auc, average_precision, partial_auc

SETS = ["german.numer", "svmguide3", "magic04", "usps", "ijcnn1"]
MOST_ROWS = 20_000


def models(seed):
    sgd = SGDClassifier(loss="log_loss", average=True, max_iter=1, tol=None, random_state=seed)
    return {
        "online": OnlineAUCClassifier(random_state=seed),
        "online, exponential": OnlineAUCClassifier("exponential", random_state=seed),
        "averaged SGD": make_pipeline(StandardScaler(), sgd),
        "batch, AUC": AUCClassifierCV(),
        "batch, max_fpr=.05": AUCClassifierCV(max_fpr=0.05),
    }


def measures(X, y, seed):
    """The three measures of each model on one split."""
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, stratify=y, random_state=seed)
    if len(train) > MOST_ROWS:
        train, _ = train_test_split(train, train_size=MOST_ROWS, stratify=y[train], random_state=seed)
    found = []
    for model in models(seed).values():
        score = model.fit(X[train], y[train]).decision_function(X[test])
        partial = partial_auc(y[test], score, 0.05, standardized=True)
        found.append((auc(y[test], score), partial, average_precision(y[test], score)))
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", nargs="*", default=SETS)
    parser.add_argument("--splits", type=int, default=2)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{'':14}" + "".join(f"{name:>22}" for name in models(0)))
    table = []
    for name in args.data:
        X, y = problem(name)
        table.append(np.mean([measures(X, y, seed) for seed in range(args.splits)], axis=0))
        print(f"{name:14}" + cells(table[-1]), flush=True)
    print(f"{'mean':14}" + cells(np.mean(table, axis=0)))


def cells(found):
    return "".join(f"{' '.join(f'{value:.4f}' for value in three):>22}" for three in found)


if __name__ == "__main__":
    main()
