"""AUCClassifier compared with other linear classifiers: AUC, time, cross-validation, growth with rows.

    AUCMAX_DATA=... python benchmarks/batch.py auc [DATA ...]
    AUCMAX_DATA=... python benchmarks/batch.py time cv scaling

`auc` prints test AUC beside tuned LogisticRegression, LinearSVC and SGDClassifier. `time` prints the time
of one fit as a ratio to LogisticRegression (lbfgs), `cv` the time of AUCClassifierCV as a multiple of one
fit, `scaling` how time grows with rows. The models run alternately, and the shortest time of each is
taken: wall time with all threads, and processor time with one thread, which other programs disturb less.
"""

import argparse
import resource
import time
import warnings
from functools import partial

import numpy as np
from datasets import TEXT, Parts, load, names
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits
from timing import shortest

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
    ("news20", True),
    ("sector.scale", False),
]
TUNING_CELLS = 5e5


def peers() -> dict:
    """Each peer with the grid of its one parameter."""
    return {
        "LogisticRegression": (LogisticRegression(max_iter=300), "C", np.logspace(-3, 2, 6)),
        "LinearSVC": (LinearSVC(dual=False, max_iter=300), "C", np.logspace(-5, 0, 6)),
        "SGDClassifier": (
            SGDClassifier("log_loss", max_iter=20, tol=None, random_state=0),
            "alpha",
            np.logspace(-6, -1, 6),
        ),
    }


def tuned(name: str, data: Parts):
    """A peer fitted on the training part, its parameter tuned by 3-fold AUC (on a sample of large data)."""
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


def wall_and_processor(models: dict, data: Parts, rounds: int) -> list[dict]:
    """Shortest times of fits with all threads, and with one."""
    runs = {name: partial(model.fit, data.X, data.y) for name, model in models.items()}
    wall = shortest(runs, rounds)
    for model in models.values():
        if not isinstance(model, LogisticRegression):
            model.set_params(n_jobs=1)
    with threadpool_limits(1):
        return [wall, shortest(runs, rounds, time.process_time)]


def time_table(chosen: list[str]) -> None:
    print(
        "One fit at the l2 and exponent a of AUCClassifierCV; ratios to LogisticRegression at the C chosen."
    )
    print("lost: AUC below that of the optimum; wall: all threads; cpu: one thread each, processor time.")
    head = f"{'data':<14}{'form':>7}{'l2':>9}{'a':>6}{'C':>8}{'LR wall':>9}{'LR cpu':>8}"
    print(head + f"{'tol':>8}{'lost':>9}{'wall':>8}{'ratio':>7}{'cpu':>8}{'ratio':>7}")
    for name, csr in TIMED:
        if chosen and name not in chosen:
            continue
        data = load(name, csr)
        searched = AUCClassifierCV("squared_hinge").fit(data.X, data.y)
        chosen_penalty = {"l2": searched.l2_, "standardize": searched.standardize_}
        _, C = tuned("LogisticRegression", data)
        optimum = AUCClassifier(**chosen_penalty, tol=1e-7).fit(data.X, data.y)
        best = optimum.score(data.X_test, data.y_test)
        models = {tol: AUCClassifier(**chosen_penalty, tol=tol) for tol in (1e-3, 1e-4)}
        models["LR"] = LogisticRegression(C=C, max_iter=1000)
        wall, cpu = wall_and_processor(models, data, rounds=3 if name in ("covtype", "mnist") else 7)
        form = "counts" if csr and name in TEXT else "CSR" if csr or name in TEXT else "dense"
        row = f"{name:<14}{form:>7}{searched.l2_:9.1e}{searched.standardize_:6.2f}{C:8.0e}"
        row += f"{wall['LR']:9.3f}{cpu['LR']:8.3f}"
        for tol in (1e-3, 1e-4):
            lost = best - models[tol].score(data.X_test, data.y_test)
            row += f"{tol:8.0e}{lost:9.5f}{wall[tol]:8.3f}{wall[tol] / wall['LR']:7.2f}"
            print(row + f"{cpu[tol]:8.3f}{cpu[tol] / cpu['LR']:7.2f}", flush=True)
            row = " " * 61


def cv_table(chosen: list[str]) -> None:
    print("AUCClassifierCV, 13 values of l2, 5 folds, as a multiple of one AUCClassifier at the l2 chosen.")
    columns = f"{'one fit':>9}{'CV':>9}{'ratio':>7}"
    print(f"{'':<30}{'wall, all threads':>25}{'processor, one thread':>25}")
    print(f"{'data':<14}{'loss':<16}{columns}{columns}")
    for name, loss in [("covtype", "squared"), ("a9a", "squared_hinge"), ("covtype", "squared_hinge")]:
        if chosen and name not in chosen:
            continue
        data = load(name)
        searched = AUCClassifierCV(loss).fit(data.X, data.y)
        one = AUCClassifier(loss, l2=searched.l2_, standardize=searched.standardize_)
        models = {"one": one, "cv": searched}
        row = f"{name:<14}{loss:<16}"
        for best in wall_and_processor(models, data, rounds=3):
            row += f"{best['one']:9.3f}{best['cv']:9.3f}{best['cv'] / best['one']:7.1f}"
        print(row, flush=True)


def scaling(_: list[str]) -> None:
    print("Rows of 20 normal features, 10% positive; one fit with the defaults, one thread, processor time.")
    print(f"{'rows':>10}{'X MB':>8}{'seconds':>10}{'peak MB beyond X':>18}")
    rng = np.random.default_rng(0)
    direction, sizes, times = rng.normal(size=20), [10**4, 10**5, 10**6, 10**7], []
    for n in sizes:
        X = rng.normal(size=(n, 20))
        y = X @ direction + 4.0 * rng.normal(size=n) > 7.5
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        fit = {"fit": partial(AUCClassifier(n_jobs=1).fit, X, y)}
        times.append(shortest(fit, max(2, min(5, 10**6 // n)), time.process_time)["fit"])
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
