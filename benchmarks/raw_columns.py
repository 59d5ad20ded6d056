"""Raw columns, text, and the default l2 of every loss, beside logistic regression.

    AUCMAX_DATA=... python benchmarks/raw_columns.py raw [DATA ...]
    AUCMAX_DATA=... python benchmarks/raw_columns.py text search logistic losses

`raw`: test AUC on raw columns, on standardised ones, and on columns multiplied by random powers of ten.
`text`: sparse columns, with logistic regression tuned over C and over the same column scalings.
`search`: the same without logistic regression, and the processor time of the search over exponents as a
multiple of that with one exponent, one thread.
`logistic`: ten random splits of each data set against logistic regression on standardised columns, C by AUC
on the training rows; its test AUCs, which take long, are kept in the folder of temporary files. `losses`:
each loss with its default l2 beside l2 by cross-validation.
"""

import argparse
import time
import warnings

import numpy as np
from datasets import TEXT, cache_folder, names, read
from scipy import sparse
from scipy.stats import wilcoxon
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler, normalize

from aucmax import AUCClassifier, AUCClassifierCV
from aucmax.losses import LOSSES
from aucmax.metrics import auc

SPLITS = 10
TUNING_CELLS = 5e5  # logistic regression is tuned on a sample of larger data
STRENGTHS = np.logspace(-4, 3, 8)


def binary(name: str):
    """Raw rows and two classes; several labels become odd against even, of two the larger is positive."""
    X, labels = read(name)
    several = len(np.unique(labels)) > 2
    return X, ((labels % 2) if several else (labels == labels.max())).astype(int)


def dense_names(chosen: list[str]) -> list[str]:
    return [name for name in names() if name not in TEXT and (not chosen or name in chosen)]


def split(X, y, seed: int = 0):
    return train_test_split(X, y, test_size=0.2, stratify=y, random_state=seed)


def raw(chosen: list[str]) -> None:
    print(f"{'data':<22}{'model':<18}{'raw':>8}{'standardised':>14}{'powers of ten':>15}{'largest gap':>13}")
    worst = 0.0
    for name in dense_names(chosen):
        X, y = binary(name)
        X, X_test, y, y_test = split(X.toarray(), y)
        scaler = StandardScaler().fit(X)
        factors = 10.0 ** np.random.default_rng(0).uniform(-6, 6, X.shape[1])
        for model in (AUCClassifier(), AUCClassifierCV()):
            found = [
                model.fit(change(X), y).score(change(X_test), y_test)
                for change in (lambda X: X, scaler.transform, lambda X: X * factors)  # noqa: B023
            ]
            gap = max(found) - min(found)
            worst = max(worst, gap)
            row = f"{name:<22}{type(model).__name__:<18}{found[0]:8.4f}{found[1]:14.4f}{found[2]:15.4f}"
            print(f"{row}{gap:13.5f}", flush=True)
    print(f"largest gap {worst:.5f}")


def sparse_problems(chosen: list[str]):
    """Text with unit rows and sparse columns, with two classes."""
    for name in [name for name in (*TEXT, "w8a", "a9a") if not chosen or name in chosen]:
        X, labels = read(name)
        if name not in TEXT:
            yield f"{name} as CSR", X, (labels == labels.max()).astype(int)
            continue
        yield f"{name} odd/even", normalize(X), (labels % 2).astype(int)
        if name == "news20":
            found, counts = np.unique(labels, return_counts=True)
            yield "news20 largest label", normalize(X), (labels == found[counts.argmax()]).astype(int)


def column_scaling(X, exponent: float):
    """A transformer that divides columns by a power of their root mean square."""
    size = np.sqrt(np.asarray(X.multiply(X).mean(axis=0)).ravel())
    factor = np.divide(1.0, size**exponent, out=np.zeros_like(size), where=size > 0)
    return FunctionTransformer(lambda X: sparse.csr_array(X @ sparse.diags_array(factor)))


def text(chosen: list[str]) -> None:
    head = f"{'data':<22}{'AUCClassifier':>14}{'AUCClassifierCV':>17}{'exponent':>9}"
    print(head + f"{'LR':>8}{'LR, columns scaled':>20}{'exponent':>9}")
    for name, X, y in sparse_problems(chosen):
        X, X_test, y, y_test = split(sparse.csr_array(X), y)
        plain, searched = AUCClassifier().fit(X, y), AUCClassifierCV().fit(X, y)
        peers = {}
        for exponent in (0.0, 0.5, 0.75, 1.0):
            scaling = column_scaling(X, exponent)
            grid = {"C": np.logspace(-3, 4, 8)}
            peer = GridSearchCV(LogisticRegression(max_iter=1000), grid, scoring="roc_auc", cv=5)
            peer.fit(scaling.transform(X), y)
            peers[exponent] = peer.best_score_, peer.score(scaling.transform(X_test), y_test)
        best = max(peers, key=lambda exponent: peers[exponent][0])
        row = f"{name:<22}{plain.score(X_test, y_test):14.4f}{searched.score(X_test, y_test):17.4f}"
        row += f"{searched.standardize_:9.2f}{peers[0.0][1]:8.4f}{peers[best][1]:20.4f}{best:9.2f}"
        print(row, flush=True)


def search(chosen: list[str]) -> None:
    print(
        f"{'data':<24}{'AUCClassifier':>14}{'AUCClassifierCV':>17}{'exponent':>9}{'seconds':>9}{'ratio':>7}"
    )
    for name, X, y in sparse_problems(chosen):
        X, X_test, y, y_test = split(sparse.csr_array(X), y)
        default, seconds = AUCClassifier(n_jobs=1).fit(X, y), []
        for model in (AUCClassifierCV(standardize=0.5, n_jobs=1), AUCClassifierCV(n_jobs=1)):
            start = time.process_time()
            model.fit(X, y)
            seconds.append(time.process_time() - start)
        row = f"{name:<24}{default.score(X_test, y_test):14.4f}{model.score(X_test, y_test):17.4f}"
        print(f"{row}{model.standardize_:9.2f}{seconds[1]:9.2f}{seconds[1] / seconds[0]:7.2f}", flush=True)


def tuned_logistic(X, y):
    """Logistic regression on standardised columns or unit rows of text, C by AUC (on a sample if large)."""
    scaler = FunctionTransformer() if sparse.issparse(X) else StandardScaler()
    model = make_pipeline(scaler, LogisticRegression(max_iter=1000))
    cells, part, labels = (X.nnz if sparse.issparse(X) else X.size), X, y
    if cells > TUNING_CELLS:
        share = max(TUNING_CELLS / cells, 200 / len(y))
        part, _, labels, _ = train_test_split(X, y, train_size=share, stratify=y, random_state=0)
    grid = {"logisticregression__C": STRENGTHS}
    search = GridSearchCV(model, grid, scoring="roc_auc", cv=5, refit=False).fit(part, labels)
    return model.set_params(**search.best_params_).fit(X, y)


def logistic_aucs(name: str, X, y) -> np.ndarray:
    """Test AUC of tuned logistic regression on each split."""
    kept = cache_folder() / f"{name}-logistic.npy"
    if not kept.exists():
        parts = [split(X, y, seed) for seed in range(SPLITS)]
        scores = [(part[3], tuned_logistic(part[0], part[2]).decision_function(part[1])) for part in parts]
        np.save(kept, [auc(y_test, score) for y_test, score in scores])
    return np.load(kept)


def logistic(chosen: list[str]) -> None:
    print(f"{'data':<22}{'positive':>9}{'AUCClassifierCV':>17}{'LR':>8}{'difference':>12}{'sd':>8}")
    every, shares = [], []
    for name in [name for name in names() if not chosen or name in chosen]:
        X, y = binary(name)
        X = normalize(sparse.csr_array(X)) if name in TEXT else X.toarray()
        ours = []
        for seed in range(SPLITS):
            X_fit, X_test, y_fit, y_test = split(X, y, seed)
            ours.append(AUCClassifierCV().fit(X_fit, y_fit).score(X_test, y_test))
        peer = logistic_aucs(name, X, y)
        difference = np.array(ours) - peer
        every.append(difference.mean())
        shares.append(min(y.mean(), 1 - y.mean()))
        row = f"{name:<22}{shares[-1]:9.3f}{np.mean(ours):17.4f}{peer.mean():8.4f}{difference.mean():+12.4f}"
        print(f"{row}{difference.std(ddof=1):8.4f}", flush=True)
    every, shares = np.array(every), np.array(shares)
    print(
        f"mean {every.mean():+.4f}, worst {every.min():+.4f}, better on {np.mean(every > 0):.0%} of the sets"
    )
    if len(every) > 5:
        print(f"Wilcoxon p = {wilcoxon(every, alternative='greater').pvalue:.2g}")
    for low, high in ((0, 0.1), (0.1, 0.35), (0.35, 0.51)):
        inside = every[(shares >= low) & (shares < high)]
        if len(inside):
            print(f"rarer class {low:.0%} to {high:.0%}: {len(inside)} sets, mean {inside.mean():+.4f}")


def losses(chosen: list[str]) -> None:
    print(f"{'data':<22}" + "".join(f"{loss:>24}" for loss in LOSSES))
    print(f"{'':<22}" + f"{'default':>12}{'by CV':>12}" * len(LOSSES))
    lost = []
    for name in dense_names(chosen):
        X, y = binary(name)
        X, X_test, y, y_test = split(X.toarray(), y)
        if len(y) > 20_000:
            X, _, y, _ = train_test_split(X, y, train_size=20_000, stratify=y, random_state=0)
        row, gaps = f"{name:<22}", []
        for loss in LOSSES:
            pair = [model(loss).fit(X, y).score(X_test, y_test) for model in (AUCClassifier, AUCClassifierCV)]
            gaps.append(pair[1] - pair[0])
            row += "".join(f"{value:12.4f}" for value in pair)
        lost.append(gaps)
        print(row, flush=True)
    print(f"{'mean lost by default':<22}" + "".join(f"{gap:24.4f}" for gap in np.mean(lost, axis=0)))


def main() -> None:
    sections = {"raw": raw, "text": text, "search": search, "logistic": logistic, "losses": losses}
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
