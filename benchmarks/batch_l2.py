"""How ``l2="auto"`` was chosen: on some data sets, evaluated on the others, for every loss.

    AUCMAX_DATA=... python benchmarks/batch_l2.py [LOSS ...]

Each training part is cross-validated along ``l2 = share * curvature * within / rarer``: ``curvature`` is the
mean curvature of the loss, ``within`` the variance within classes, summed over the scaled columns, ``rarer``
the rows of the rarer class. The share that loses least AUC on average over the losses, against the best share
of each set, is chosen on every other set in alphabetical order. The second table shows, on the rest, the test
AUC that the default loses against l2 by cross-validation. Rows beyond 20,000 are left out.
"""

import sys
import warnings

import numpy as np
from datasets import load, names
from sklearn.model_selection import train_test_split

from aucmax.batch.classifier import AUCClassifier
from aucmax.batch.cv import AUCClassifierCV
from aucmax.batch.defaults import SHARE
from aucmax.losses import LOSSES

SKIP = ("fourclass", "madelon", "heart_scale", "australian_scale")  # not linear, or copies of others
SHARES = 0.2 * np.logspace(-3, 3, 13)
MOST_ROWS = 20_000


def training_part(name: str):
    data = load(name)
    if len(data.y) <= MOST_ROWS:
        return data
    X, _, y, _ = train_test_split(data.X, data.y, train_size=MOST_ROWS, stratify=data.y, random_state=0)
    return data._replace(X=X, y=y)


def lost_by_share(loss: str, data) -> np.ndarray:
    """Mean AUC over folds below that of the best share."""
    settings = {"standardize": 0.5 if hasattr(data.X, "nnz") else 1.0}
    unit = AUCClassifier(loss, **settings).fit(data.X, data.y).l2_ / SHARE
    scores = AUCClassifierCV(loss, l2s=unit * SHARES, **settings).fit(data.X, data.y).scores_.mean(axis=1)
    return scores.max() - scores


def main() -> None:
    warnings.simplefilter("ignore")
    losses = sys.argv[1:] or list(LOSSES)
    usable = sorted(name for name in names() if name not in SKIP)
    print("Mean AUC over folds lost against the best share of each set, in units of 1e-4")
    print(f"{'loss':<16}" + "".join(f"{share:>8.0e}" for share in SHARES))
    total = []
    for loss in losses:
        lost = np.mean([lost_by_share(loss, training_part(name)) for name in usable[::2]], axis=0)
        total.append(lost)
        print(f"{loss:<16}" + "".join(f"{1e4 * x:8.1f}" for x in lost), flush=True)
    mean = np.mean(total, axis=0)
    print(f"{'mean':<16}" + "".join(f"{1e4 * x:8.1f}" for x in mean) + f"   best {SHARES[mean.argmin()]:.0e}")
    print("\nTest AUC by cross-validation less that of the default, on the other sets, in units of 1e-4")
    print(f"{'data':<20}" + "".join(f"{loss:>16}" for loss in losses))
    gaps = []
    for name in usable[1::2]:
        data = training_part(name)
        fits = [
            [model(loss).fit(data.X, data.y) for model in (AUCClassifierCV, AUCClassifier)] for loss in losses
        ]
        gaps.append([np.subtract(*(fit.score(data.X_test, data.y_test) for fit in pair)) for pair in fits])
        print(f"{name:<20}" + "".join(f"{1e4 * x:16.1f}" for x in gaps[-1]), flush=True)
    print(f"{'mean':<20}" + "".join(f"{1e4 * x:16.1f}" for x in np.mean(gaps, axis=0)))


if __name__ == "__main__":
    main()
