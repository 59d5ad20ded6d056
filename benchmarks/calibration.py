"""Log-loss, Brier score and calibration error of `predict_proba`, beside logistic regression.

    AUCMAX_DATA=... python benchmarks/calibration.py batch [DATA ...]
    AUCMAX_DATA=... python benchmarks/calibration.py stream [DATA ...]

`batch`: AUCClassifierCV on raw columns against logistic regression on standardised ones with C chosen by
log-loss over five folds. `stream`: one pass of OnlineAUCClassifier against the same logistic regression. Sets
of several labels become odd against even; at most 20,000 rows, 80 % of them for training; means over ten
random splits of sets with fewer than 3,000 rows, two of others. Ratios above 1 mean that logistic regression
is better; `ece` is the expected calibration error over ten bins of equal size.
"""

import argparse
import warnings

import numpy as np
from raw_columns import binary, dense_names, split
from sklearn.linear_model import LogisticRegressionCV
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV, OnlineAUCClassifier

MAX_ROWS, SMALL, FEWEST_ROWS = 20_000, 3000, 100


def expected_calibration_error(y, probability, bins: int = 10) -> float:
    parts = np.array_split(np.argsort(probability, kind="stable"), bins)
    return sum(len(part) * abs(y[part].mean() - probability[part].mean()) for part in parts) / len(y)


def tuned_logistic_regression():
    grid = LogisticRegressionCV(Cs=np.logspace(-4, 3, 8), scoring="neg_log_loss", max_iter=1000)
    return make_pipeline(StandardScaler(), grid)


def errors(y, probability) -> list[float]:
    """Log-loss, Brier score and calibration error."""
    return [
        log_loss(y, probability),
        brier_score_loss(y, probability),
        expected_calibration_error(y, probability),
    ]


def compare(model, X, y) -> np.ndarray:
    """Errors of the model and of logistic regression, means over splits."""
    found = []
    for seed in range(10 if len(y) < SMALL else 2):
        X_train, X_test, y_train, y_test = split(X, y, seed)
        models = model, tuned_logistic_regression()
        fitted = [each.fit(X_train, y_train).predict_proba(X_test)[:, 1] for each in models]
        found.append([errors(y_test, probability) for probability in fitted])
    return np.mean(found, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["batch", "stream"])
    parser.add_argument("data", nargs="*")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    model = AUCClassifierCV() if arguments.what == "batch" else OnlineAUCClassifier(random_state=0)
    print(f"{'data':<22}{'rows':>7}{'log-loss':>10}{'ratio':>7}{'Brier':>8}{'ratio':>7}{'ece':>8}{'LR':>8}")
    ratios = []
    for name in dense_names(arguments.data):
        X, y = binary(name)
        if len(y) < FEWEST_ROWS:
            continue
        chosen = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
        ours, peer = compare(model, X[chosen].toarray(), y[chosen])
        ratios.append(ours[:2] / peer[:2])
        print(
            f"{name:<22}{len(chosen):7}{ours[0]:10.4f}{ratios[-1][0]:7.3f}{ours[1]:8.4f}{ratios[-1][1]:7.3f}"
            f"{ours[2]:8.4f}{peer[2]:8.4f}",
            flush=True,
        )
    for label, column in zip(("log-loss", "Brier"), np.transpose(ratios), strict=True):
        within = (column <= 1.02).mean()
        print(f"{label}: within 2 % on {within:.0%} of the sets, worst ratio {column.max():.3f}")


if __name__ == "__main__":
    main()
