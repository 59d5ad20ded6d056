"""OnlineAUCClassifier compared with other models that learn from a stream: AUC, scaling, time, a long stream.

    python benchmarks/online.py quality [--batch] [--only NAME ...]
    python benchmarks/online.py rare
    python benchmarks/online.py scaling
    python benchmarks/online.py time [--repeats 9]
    python benchmarks/online.py stream [--rows 50000000]

The order of the rows and broken rows: ``online_orders.py``.

The data sets are read from ``$AUCMAX_DATA``; those with more than two labels are even against odd. Every
contestant makes one pass with its default settings over 80 % of the rows, and its AUC on the others is
averaged over splits. OnlineAUCClassifier gets raw features; the peers get standardised ones. Text has unit
rows for all. River's dense rows go through the same updates written in Numba, compared with river itself
at the start of the run; its text goes through river. ``rare``: sparse rows of unit norm for all, the
largest label against the rest.
"""

import argparse
import resource
import time
import warnings

import numpy as np
from datasets import TEXT, larger_or_even, read
from numba import njit
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler, normalize

from aucmax import AUCClassifierCV
from aucmax.metrics import auc
from aucmax.streaming.estimator import OnlineAUCClassifier

# fmt: off
DENSE = [
    "diabetes", "fourclass", "german.numer", "australian", "breast-cancer_scale", "vehicle.scale",
    "vowel.scale", "splice", "svmguide3", "dna.scale", "madelon", "segment.scale", "svmguide1",
    "satimage.scale", "usps", "pendigits", "letter.scale", "magic04", "a9a", "w8a", "ijcnn1", "cod-rna",
    "connect-4.binary", "mnist", "skin_nonskin", "covtype",
]
# fmt: on
RARE = ["a9a", "mnist", "news20", "covtype", "w8a", "sector.scale"]
SETS = [*DENSE, *TEXT]
WIDTHS = 16, 17, 17
PEERS = ["SGD", "SGD averaged", "river LR"]


def problem(name):
    """Rows and labels 0 and 1; text is sparse, other rows dense."""
    X, y = read(name)
    y = larger_or_even(y)
    return (unit_rows(X) if name in TEXT else X.toarray()), y


def unit_rows(X):
    """CSR rows of norm one, with 32-bit indices: SGD refuses others."""
    X = normalize(sparse.csr_matrix(X))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X


def splits(y):
    """Training rows, in random order, and test rows; the fewer the rows, the more splits."""
    limits = {2000: 50, 5000: 20, 30_000: 3, 300_000: 2, np.inf: 1}
    for seed in range(next(n_splits for limit, n_splits in limits.items() if len(y) < limit)):
        train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=seed, stratify=y)
        yield seed, train, test


@njit
def river_pass(X, y, w, mean, var):
    """River's StandardScaler and LogisticRegression at their defaults, row by row."""
    z, bias = np.zeros(len(w)), 0.0
    for i in range(len(y)):
        score = bias
        for j in range(len(w)):
            before = mean[j]
            mean[j] += (X[i, j] - before) / (i + 1)
            var[j] += ((X[i, j] - before) * (X[i, j] - mean[j]) - var[j]) / (i + 1)
            z[j] = (X[i, j] - mean[j]) / np.sqrt(var[j]) if var[j] > 0.0 else 0.0
            score += w[j] * z[j]
        gap = 0.01 * (1.0 / (1.0 + np.exp(-score)) - y[i])
        for j in range(len(w)):
            w[j] -= gap * z[j]
        bias -= gap


def river_rows(X):
    """Rows as dicts."""
    if not sparse.issparse(X):
        return [dict(enumerate(row)) for row in X.tolist()]
    cuts = zip(X.indptr[:-1], X.indptr[1:], strict=True)
    return [dict(zip(X.indices[a:b].tolist(), X.data[a:b].tolist(), strict=True)) for a, b in cuts]


def by_river(X, y, test):
    from river import linear_model, preprocessing

    model = preprocessing.StandardScaler() | linear_model.LogisticRegression()
    for row, label in zip(river_rows(X), y, strict=True):
        model.learn_one(row, bool(label))
    return np.array([model.predict_proba_one(row)[True] for row in river_rows(test)])


def by_river_formulas(X, y, test):
    w, mean, var = np.zeros((3, X.shape[1]))
    river_pass(X, y, w, mean, var)
    return test @ np.divide(w, np.sqrt(var), out=np.zeros_like(w), where=var > 0)


def check_river_formulas():
    X, y = problem("german.numer")
    by_formulas, by_package = (
        auc(y[800:], run(X[:800], y[:800], X[800:])) for run in (by_river_formulas, by_river)
    )
    print(f"river's LogisticRegression on german.numer: AUC {by_package:.6f}; in Numba: {by_formulas:.6f}")


def standardised(name, X, train, test):
    """Training and test rows, with standardised columns except for text."""
    if name in TEXT:
        return X[train], X[test]
    scaler = StandardScaler().fit(X[train])
    return scaler.transform(X[train]), scaler.transform(X[test])


def peers(name, X, y, train, test, seed):
    """Test AUC of SGD, averaged SGD and river's logistic regression."""
    rank = by_river if name in TEXT else by_river_formulas
    last = auc(y[test], rank(X[train], y[train], X[test]))
    A, B = standardised(name, X, train, test)
    return [*by_sgd(A, y[train], B, y[test], seed), last]


def by_sgd(X, y, test, labels, seed):
    models = (
        SGDClassifier(loss="log_loss", max_iter=1, tol=None, average=average, random_state=seed)
        for average in (False, True)
    )
    return [auc(labels, model.fit(X, y).decision_function(test)) for model in models]


def online(X, y, train, test, **settings):
    model = OnlineAUCClassifier(shuffle=False, **settings).fit(X[train], y[train])
    return model.score(X[test], y[test])


def batch(name, X, y, train, test):
    A, B = standardised(name, X, train, test)
    return AUCClassifierCV().fit(A, y[train]).score(B, y[test])


def quality(args):
    check_river_formulas()
    header = f"{'data':20}{'rows':>8}{'Online':>9}" + "".join(f"{name:>14}" for name in PEERS)
    print(header + f"{'minus best':>13}" + (f"{'batch CV':>10}" if args.batch else ""))
    margins, means = [], []
    for name in args.only or SETS:
        X, y = problem(name)
        rows, by_batch = [], []
        for seed, train, test in splits(y):
            rows.append([online(X, y, train, test), *peers(name, X, y, train, test, seed)])
            if args.batch and len(y) >= 20_000 and seed == 0:
                by_batch.append(batch(name, X, y, train, test) - rows[0][0])
        mean = np.mean(rows, axis=0)
        margins.append(mean[0] - mean[1:].max())
        means.append(mean)
        text = f"{name:20}{len(y):8}{mean[0]:9.4f}" + "".join(f"{value:14.4f}" for value in mean[1:])
        print(text + f"{margins[-1]:+13.4f}" + "".join(f"{gap:+10.4f}" for gap in by_batch), flush=True)
    margins = np.array(margins)
    print(
        f"at least as good as the best peer on {np.mean(margins > -5e-5):.0%} of {len(margins)} sets; "
        f"worst {margins.min():+.4f}; means " + " ".join(f"{value:.4f}" for value in np.mean(means, axis=0))
    )


def scaling(args):
    print(f"{'data':20}{'raw':>9}{'standardised':>14}{'difference':>12}")
    for name in args.only or DENSE:
        X, y = problem(name)
        both = []
        for _, train, test in splits(y):
            Z = StandardScaler().fit(X[train]).transform(X)
            both.append([online(X, y, train, test), online(Z, y, train, test)])
        raw, scaled = np.mean(both, axis=0)
        print(f"{name:20}{raw:9.4f}{scaled:14.4f}{raw - scaled:+12.4f}", flush=True)


def timed_problems():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 54))
    yield "dense 100,000 x 54", X, (X[:, 0] + rng.normal(size=len(X)) > 1.3).astype(int)
    yield "news20 (CSR)", *problem("news20")


def passes_of(cls, X, y, **settings):
    return {n: lambda n=n: cls(max_iter=n, **settings).fit(X, y) for n in (1, 6)}


def chunks_of(cls, X, y, size=1000, **settings):
    chunks = [(X[k : k + size], y[k : k + size]) for k in range(0, len(y) - size + 1, size)]

    def run():
        model = cls(**settings)
        for rows, labels in chunks:
            model.partial_fit(rows, labels, classes=[0, 1])

    return run


def measure(args):
    """Shortest processor time of this thread, which other processes disturb little."""
    sgd = {"loss": "log_loss", "tol": None}
    methods = {
        "SGDClassifier": (SGDClassifier, sgd),
        "averaged": (SGDClassifier, sgd | {"average": True}),
        "OnlineAUCClassifier": (OnlineAUCClassifier, {}),
    }
    for title, X, y in timed_problems():
        runs = {}
        for name, (cls, settings) in methods.items():
            for n, run in passes_of(cls, X, y, random_state=0, **settings).items():
                runs[name, n] = run
            runs[name, "chunks"] = chunks_of(cls, X, y, **settings)
        best = dict.fromkeys(runs, np.inf)
        for turn in range(args.repeats + 1):
            for key, run in runs.items():
                start = time.thread_time()
                run()
                if turn:  # the first compiles
                    best[key] = min(best[key], time.thread_time() - start)
        print(
            f"\n{title}, ns a row\n{'':24}{'further pass':>16}{'fit of one pass':>17}{'chunks of 1,000':>17}"
        )
        table = {}
        for name in methods:
            one, six, chunked = (best[name, key] / len(y) * 1e9 for key in (1, 6, "chunks"))
            table[name] = (six - one) / 5, one, chunked
            print(f"{name:24}" + "".join(f"{ns:{w}.0f}" for ns, w in zip(table[name], WIDTHS, strict=True)))
        for name in ("SGDClassifier", "averaged"):
            ratios = np.divide(table["OnlineAUCClassifier"], table[name])
            print(
                f"{'ratio to ' + name:24}"
                + "".join(f"{ratio:{w}.2f}" for ratio, w in zip(ratios, WIDTHS, strict=True))
            )


def stream(args):
    """A logistic model of 20 correlated raw columns; the optimum is the AUC of its true weights."""
    rng = np.random.default_rng(0)
    d, size = 20, 100_000
    w, mix = rng.normal(size=d), rng.normal(size=(d, d)) / np.sqrt(d)
    scale, offset = np.logspace(-3, 3, d), np.linspace(-100, 100, d)

    def chunk():
        Z = rng.normal(size=(size, d)) @ mix
        y = rng.random(size) < 1.0 / (1.0 + np.exp(3.0 - Z @ w))
        return Z * scale + offset, y.astype(int), Z @ w

    test, labels, best = chunk()
    model, seconds = OnlineAUCClassifier(), 0.0
    print(f"{'rows':>12}{'AUC':>9}{'optimum':>9}{'auc_':>9}{'resident MB':>13}{'ns a row':>10}")
    for k in range(1, args.rows // size + 1):
        X, y, _ = chunk()
        start = time.thread_time()
        model.partial_fit(X, y, classes=[0, 1])
        seconds += time.thread_time() - start
        if k in (1, 10) or k % (max(1, args.rows // size // 10)) == 0:
            size_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            figures = (
                f"{model.score(test, labels):9.4f}{auc(labels, best):9.4f}{model.auc_:9.4f}{size_mb:13.0f}"
            )
            print(f"{k * size:12}{figures}{seconds / k / size * 1e9:10.0f}", flush=True)


def rare(args):
    """CSR rows whose positives are rare."""
    print(f"{'':14}{'positive':>9}{'online':>9}{'SGD':>9}{'averaged':>9}{'batch':>9}")
    for name in args.only or RARE:
        X, labels = read(name)
        X, y = unit_rows(X), (labels == labels.max()).astype(int)
        found = []
        for seed, train, test in splits(y):
            batch = AUCClassifierCV().fit(X[train], y[train]).score(X[test], y[test])
            sgd = by_sgd(X[train], y[train], X[test], y[test], seed)
            found.append([online(X, y, train, test), *sgd, batch])
        print(
            f"{name:14}{y.mean():9.3f}" + "".join(f"{mean:9.4f}" for mean in np.mean(found, axis=0)),
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["quality", "rare", "scaling", "time", "stream"])
    parser.add_argument("--only", nargs="+", choices=SETS, help="these data sets only")
    parser.add_argument("--batch", action="store_true", help="also AUCClassifierCV, from 20,000 rows on")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--rows", type=int, default=50_000_000)
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # SGD warns that one pass is not enough
    jobs = {"quality": quality, "rare": rare, "scaling": scaling, "time": measure, "stream": stream}
    jobs[args.what](args)


if __name__ == "__main__":
    main()
