"""Log-loss, Brier score and calibration error of `predict_proba`, beside logistic regression.

    AUCMAX_DATA=... python benchmarks/calibration.py batch [DATA ...]
    AUCMAX_DATA=... python benchmarks/calibration.py stream [DATA ...]

`batch`: AUCClassifierCV on raw columns against logistic regression on standardised ones with C chosen by
log-loss over five folds (LR). `stream`: one pass of OnlineAUCClassifier against one pass of averaged SGD with
the log-loss on standardised columns, in steps of 0.1 t^-1/4, and against LR. Sets of several labels become
odd against even; at most 20,000 rows, 80 % of them for training; means over ten random splits of sets with
fewer than 3,000 rows, two of others. Ratios above 1 mean that the peer is better; `ece` is the expected
calibration error over ten bins of equal size. `best`: our model calibrated anew on the test rows themselves.
What is above 1 there is lost by the ranking, not by the calibration.
"""

import argparse
import warnings

import numpy as np
from raw_columns import binary, dense_names, split
from scipy.special import logit
from sklearn.linear_model import LogisticRegressionCV, SGDClassifier
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV, OnlineAUCClassifier
from aucmax.calibration import fit_calibration

MAX_ROWS, SMALL, FEWEST_ROWS = 20_000, 3000, 100


def expected_calibration_error(y, probability, bins: int = 10) -> float:
    parts = np.array_split(np.argsort(probability, kind="stable"), bins)
    return sum(len(part) * abs(y[part].mean() - probability[part].mean()) for part in parts) / len(y)


def tuned_logistic_regression():
    grid = LogisticRegressionCV(Cs=np.logspace(-4, 3, 8), scoring="neg_log_loss", max_iter=1000)
    return make_pipeline(StandardScaler(), grid)


def one_pass_logistic_regression():
    settings = {"learning_rate": "invscaling", "eta0": 0.1, "power_t": 0.25, "alpha": 0.0}
    sgd = SGDClassifier(loss="log_loss", average=True, max_iter=1, tol=None, random_state=0, **settings)
    return make_pipeline(StandardScaler(), sgd)


def errors(y, probability) -> list[float]:
    """Log-loss, Brier score and calibration error."""
    return [
        log_loss(y, probability),
        brier_score_loss(y, probability),
        expected_calibration_error(y, probability),
    ]


def recalibrated(y, probability):
    """Probabilities fitted to these rows, by the same ranking."""
    score = logit(np.clip(probability, 1e-15, 1.0 - 1e-15))
    return fit_calibration(score, np.where(y == 1, 1.0, -1.0)).probability(score)


def compare(models, X, y) -> np.ndarray:
    """Errors of each model, and of the first one recalibrated, means over splits."""
    found = []
    for seed in range(10 if len(y) < SMALL else 2):
        X_train, X_test, y_train, y_test = split(X, y, seed)
        fitted = [model.fit(X_train, y_train).predict_proba(X_test)[:, 1] for model in models]
        fitted.append(recalibrated(y_test, fitted[0]))
        found.append([errors(y_test, probability) for probability in fitted])
    return np.mean(found, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["batch", "stream"])
    parser.add_argument("data", nargs="*")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    models = {"AUC": AUCClassifierCV()}
    if arguments.what == "stream":
        models = {"AUC": OnlineAUCClassifier(random_state=0), "SGD": one_pass_logistic_regression()}
    models["LR"] = tuned_logistic_regression()
    peers = list(models)[1:]
    head = "".join(f"{f'{measure} / {peer}':>16}" for measure in ("log-loss", "Brier") for peer in peers)
    print(
        f"{'data':<22}{'rows':>7}{'log-loss':>10}{'Brier':>8}{head}{'best / LR':>16}{'Brier best / LR':>16}"
        + "".join(f"{'ece ' + m:>9}" for m in models)
    )
    ratios = []
    for name in dense_names(arguments.data):
        X, y = binary(name)
        if len(y) < FEWEST_ROWS:
            continue
        chosen = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
        found = compare(models.values(), X[chosen].toarray(), y[chosen])
        against = (found[0, :2] / found[1:-1, :2]).T.ravel()
        ratios.append(np.append(against, found[-1, :2] / found[-2, :2]))
        row = "".join(f"{ratio:16.3f}" for ratio in ratios[-1]) + "".join(
            f"{ece:9.4f}" for ece in found[:-1, 2]
        )
        print(f"{name:<22}{len(chosen):7}{found[0, 0]:10.4f}{found[0, 1]:8.4f}{row}", flush=True)
    labels = [f"{measure} / {peer}" for measure in ("log-loss", "Brier") for peer in peers]
    labels += ["best log-loss / LR", "best Brier / LR"]
    for label, column in zip(labels, np.transpose(ratios), strict=True):
        share, median = (column <= 1.02).mean(), np.median(column)
        print(
            f"{label}: at most 1.02 on {share:.0%} of the sets, median {median:.3f}, worst {column.max():.3f}"
        )


if __name__ == "__main__":
    main()
