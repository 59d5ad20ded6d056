"""The top of the list: models that agree in AUC may differ in what they find first.

    python examples/top.py [--out docs/images/top.png]

Payments, 2 % of them fraud, of two kinds: a third stands out, the rest looks only a little odd, and so do 3 %
of the honest payments. AUC wants the many hidden frauds above most honest payments; who can look at one
payment in a hundred wants those that stand out.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

from aucmax import AUCClassifierCV, plot
from aucmax.metrics import auc_interval, average_precision, partial_auc_interval, top

COLORS = ["#999999", "#4c78a8", "#e4572e"]


def payments(n, seed):
    """Twelve columns, and whether the payment is a fraud."""
    rng = np.random.default_rng(seed)
    fraud = rng.random(n) < 0.02
    bold = fraud & (rng.random(n) < 0.35)
    odd = ~fraud & (rng.random(n) < 0.03)
    X = rng.normal(size=(n, 12))
    X[:, 0] += 3.0 * bold + 0.3 * (fraud & ~bold)
    X[:, 1] += 1.2 * (fraud & ~bold) + 4.0 * odd
    return X, fraud


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default="top.png", help="the picture")
    args = parser.parse_args()
    (X, y), (X_test, y_test) = payments(20_000, 0), payments(20_000, 1)
    models = {
        "logistic regression": LogisticRegression(),
        "chosen by AUC": AUCClassifierCV(),
        "max_fpr=0.05": AUCClassifierCV(max_fpr=0.05),
    }
    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    print(f"{'':30}{'AUC':>16}{'AUC to .05':>16}{'avg. prec.':>12}{'recall, top 1 %':>22}")
    for (name, model), color in zip(models.items(), COLORS, strict=True):
        score = model.fit(X, y).decision_function(X_test)
        areas = auc_interval(y_test, score), partial_auc_interval(y_test, score, 0.05, standardized=True)
        recall = top(y_test, score, 0.01)[0].recall
        print(f"{name:30}" + "".join(f"{f'{a.auc:.3f} ±{1.96 * a.se:.3f}':>16}" for a in areas), end="")
        print(f"{average_precision(y_test, score):12.3f}", end="")
        print(f"{f'{recall.value:.3f} ({recall.low:.3f}-{recall.high:.3f})':>22}")
        plot.roc(y_test, score, left, band=False, label=name, color=color)
        plot.top(y_test, score, right, band=False, label=name, color=color)
    left.set_title("the whole list", fontsize="medium")
    right.set_title("the top of the list", fontsize="medium")
    Path(args.out).parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(args.out, dpi=90)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
