"""AUCClassifier beside its peers: ranking, time, cross-validation, growth.

    AUCMAX_DATA=... python benchmarks/batch.py auc [DATA ...]
    AUCMAX_DATA=... python benchmarks/batch.py time cv scaling

`auc` prints test AUC beside tuned LogisticRegression, LinearSVC and SGDClassifier. `time` prints the time of one fit
as a ratio to LogisticRegression (lbfgs), `cv` that of AUCClassifierCV as a ratio to one fit, `scaling` how time
grows with rows. Contenders take turns, and the shortest time of each counts; LogisticRegression also runs with
one BLAS thread, and its better time counts.
"""

import argparse
import resource
import time
import warnings
from functools import partial

import numpy as np
from batch_data import TEXT, Parts, load, names
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from aucmax.batch.classifier import AUCClassifier
from aucmax.batch.cv import AUCClassifierCV

TARGETS = {
    "a9a": 0.8965,
    "w8a": 0.9670,
    "ijcnn1": 0.9350,
    "svmguide1": 0.983,
    "usps": 0.9830,
    "sector.scale": 0.9860,
    "news20": 0.9465,
}
TIMED = [
    ("a9a", False),
    ("a9a", True),
    ("w8a", False),
    ("w8a", True),
    ("ijcnn1", False),
    ("covtype", False),
    ("mnist", False),
    ("news20", False),
    ("sector.scale", False),
]
TUNING_CELLS = 3e6


def peers() -> dict:
    """Each peer with the grid of its one parameter."""
    return {
        "LogisticRegression": (LogisticRegression(max_iter=300), "C", np.logspace(-3, 2, 6)),
        "LinearSVC": (LinearSVC(max_iter=1000), "C", np.logspace(-5, 1, 7)),
        "SGDClassifier": (
            SGDClassifier("log_loss", max_iter=20, tol=None, random_state=0),
            "alpha",
            np.logspace(-6, -1, 6),
        ),
    }


def tuned(name: str, data: Parts):
    """A peer fitted on the training part, its parameter by 3-fold AUC (on a sample of large data)."""
    model, parameter, grid = peers()[name]
    X, y = data.X, data.y
    cells = X.nnz if hasattr(X, "nnz") else X.size
    if cells > TUNING_CELLS:
        share = TUNING_CELLS / cells
        X, _, y, _ = train_test_split(X, y, train_size=share, stratify=y, random_state=0)
    search = GridSearchCV(model, {parameter: grid}, scoring="roc_auc", cv=3, refit=False).fit(X, y)
    return model.set_params(**search.best_params_).fit(data.X, data.y), search.best_params_[parameter]


def auc_table(chosen: list[str]) -> None:
    print(f"{'data':<20}{'rows':>8}{'columns':>8}{'squared':>9}{'sq_hinge':>9}", end="")
    print("".join(f"{name:>20}" for name in peers()) + "   target")
    for name in chosen or names():
        data = load(name)
        ours = [AUCClassifierCV(loss).fit(data.X, data.y) for loss in ("squared", "squared_hinge")]
        row = f"{name:<20}{data.X.shape[0]:>8}{data.X.shape[1]:>8}"
        row += "".join(f"{model.score(data.X_test, data.y_test):9.4f}" for model in ours)
        for peer in peers():
            decision = tuned(peer, data)[0].decision_function(data.X_test)
            row += f"{roc_auc_score(data.y_test, decision):20.4f}"
        print(row + (f"   {TARGETS[name]:.4f}" if name in TARGETS else ""), flush=True)


def shortest(contenders: dict, rounds: int = 5) -> dict:
    """Shortest time of each contender, all taking turns."""
    best = dict.fromkeys(contenders, np.inf)
    for _ in range(rounds):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def time_table(chosen: list[str]) -> None:
    print(
        "One fit at the l2 chosen by cross-validation; ratios to LogisticRegression at the C chosen for it."
    )
    print(
        f"{'data':<14}{'form':>6}{'l2':>9}{'C':>9}{'LR s':>8}{'tol=1e-3':>10}{'ratio':>7}{'lost':>9}", end=""
    )
    print(f"{'tol=1e-4':>10}{'ratio':>7}{'lost':>9}")
    for name, csr in TIMED:
        if chosen and name not in chosen:
            continue
        data = load(name, csr)
        l2 = AUCClassifierCV().fit(data.X, data.y).l2_
        _, C = tuned("LogisticRegression", data)
        optimum = AUCClassifier(l2=l2, tol=1e-7).fit(data.X, data.y).score(data.X_test, data.y_test)
        logistic = LogisticRegression(C=C, max_iter=1000)

        def one_thread(model=logistic, data=data):
            with threadpool_limits(1):
                model.fit(data.X, data.y)

        models = {tol: AUCClassifier(l2=l2, tol=tol) for tol in (1e-3, 1e-4)}
        contenders = {tol: partial(model.fit, data.X, data.y) for tol, model in models.items()}
        contenders |= {"LR": partial(logistic.fit, data.X, data.y), "LR, one thread": one_thread}
        best = shortest(contenders, rounds=3 if name in ("covtype", "mnist") else 7)
        peer = min(best["LR"], best["LR, one thread"])
        row = f"{name:<14}{'CSR' if csr or name in TEXT else 'dense':>6}{l2:9.1e}{C:9.0e}{peer:8.3f}"
        for tol, model in models.items():
            lost = optimum - model.score(data.X_test, data.y_test)
            row += f"{best[tol]:10.3f}{best[tol] / peer:7.2f}{lost:9.5f}"
        print(row, flush=True)


def cv_table(chosen: list[str]) -> None:
    print(
        "AUCClassifierCV, 13 values of l2 and 5 folds, as a multiple of one AUCClassifier fit at the l2 chosen."
    )
    print(f"{'data':<14}{'loss':<16}{'one fit s':>10}{'CV s':>8}{'multiple':>10}")
    for name, loss in [("covtype", "squared"), ("a9a", "squared_hinge"), ("covtype", "squared_hinge")]:
        if chosen and name not in chosen:
            continue
        data = load(name)
        searched = AUCClassifierCV(loss).fit(data.X, data.y)
        one = AUCClassifier(loss, l2=searched.l2_)
        best = shortest(
            {"one": partial(one.fit, data.X, data.y), "cv": partial(searched.fit, data.X, data.y)}, rounds=3
        )
        row = f"{name:<14}{loss:<16}{best['one']:10.3f}{best['cv']:8.3f}"
        print(row + f"{best['cv'] / best['one']:10.1f}", flush=True)


def scaling(_: list[str]) -> None:
    print("Rows of 20 normal features, 10% positive; one fit with the defaults.")
    print(f"{'rows':>10}{'X MB':>8}{'seconds':>10}{'peak MB beyond X':>18}")
    rng = np.random.default_rng(0)
    direction, sizes, times = rng.normal(size=20), [10**4, 10**5, 10**6, 10**7], []
    for n in sizes:
        X = rng.normal(size=(n, 20))
        y = X @ direction + 4.0 * rng.normal(size=n) > 7.5
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        rounds = max(1, min(5, 10**7 // n))
        times.append(shortest({"fit": partial(AUCClassifier().fit, X, y)}, rounds)["fit"])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
        print(f"{n:>10}{X.nbytes / 2**20:>8.0f}{times[-1]:>10.3f}{peak:>18.0f}", flush=True)
    print(f"exponent {np.polyfit(np.log(sizes), np.log(times), 1)[0]:.2f}")


def main() -> None:
    sections = {"auc": auc_table, "time": time_table, "cv": cv_table, "scaling": scaling}
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("words", nargs="+", help=f"sections ({', '.join(sections)}) and names of data sets")
    words = parser.parse_args().words
    warnings.simplefilter("ignore")
    for section in [word for word in words if word in sections]:
        print(f"\n== {section}")
        sections[section]([word for word in words if word not in sections])


if __name__ == "__main__":
    main()
