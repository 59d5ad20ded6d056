"""What the order of the rows, and broken rows, do to one pass of OnlineAUCClassifier.

    python benchmarks/online_orders.py orders [--only NAME ...]
    python benchmarks/online_orders.py others
    python benchmarks/online_orders.py broken [--only NAME ...]

The data sets are read from ``$AUCMAX_DATA``. ``orders``: AUC on 20 % of the rows after one pass over the
others in several orders, and below it that of averaged SGD in the same order, on standardised rows if dense.
Sparse rows (``:csr``) have unit norm for both. ``others``: the same on problems that had no part in the
choice of the rules. ``broken``: one of the training rows replaced by huge or tiny values; the AUC less that
of the clean stream.
"""

import argparse
import warnings

import numpy as np
from online import online, problem, unit_rows
from scipy import sparse
from sklearn.linear_model import SGDClassifier
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from aucmax.metrics import auc

SETS = [
    "sector.scale:csr", "news20:csr", "a9a:csr", "ijcnn1:csr", "w8a:csr",
    "a9a", "ijcnn1", "covtype", "magic04",
]  # fmt: skip
OTHERS = [
    "skin_nonskin", "madelon", "w8a", "mnist:csr", "connect-4.binary:csr", "dna.scale", "vehicle.scale",
    "australian", "letter.scale:csr", "satimage.scale:csr", "pendigits:csr", "svmguide1:csr", "usps:csr",
    "magic04:csr", "diabetes", "fourclass", "splice:csr",
]  # fmt: skip
BLOCK = 2000


def read(name):
    """Rows, labels, training and test rows of ``NAME`` or ``NAME:csr``."""
    X, y = problem(name.removesuffix(":csr"))
    if name.endswith(":csr"):
        X = unit_rows(X)
    train, test = train_test_split(np.arange(len(y)), test_size=0.2, random_state=0, stratify=y)
    return X, y, train, test


def orders(X, y, train):
    """Names and permutations of the training rows."""
    rng = np.random.default_rng(0)
    neg, pos = train[y[train] == 0], train[y[train] == 1]
    yield "random", train
    for count, name in ((1000, "1,000 neg"), (len(neg) // 2, "half neg")):
        yield name, np.concatenate([neg[:count], rng.permutation(np.concatenate([neg[count:], pos]))])
    yield "all neg", np.concatenate([neg, pos])
    yield "all pos", np.concatenate([pos, neg])
    yield "blocks", np.concatenate(blocks(neg, pos))
    by_column = train[np.argsort(sorting_column(X)[train], kind="stable")]
    yield "by column", by_column
    yield "descending", by_column[::-1]


def blocks(neg, pos):
    """Blocks of one class, those of either class spread evenly."""
    placed = []
    for rows in (neg, pos):
        cut = [rows[k : k + BLOCK] for k in range(0, len(rows), BLOCK)]
        placed += [((k + 0.5) / len(cut), block) for k, block in enumerate(cut)]
    return [block for _, block in sorted(placed, key=lambda pair: pair[0])]


def sorting_column(X):
    """The column with most values that are not 0 if sparse, with most different values if dense."""
    if sparse.issparse(X):
        return X[:, [int(np.argmax(np.diff(X.tocsc().indptr)))]].toarray().ravel()
    return X[:, int(np.argmax([len(np.unique(column)) for column in X[:5000].T]))]


def averaged_sgd(X, y, order, test):
    model = SGDClassifier(loss="log_loss", max_iter=1, tol=None, average=True, shuffle=False)
    return auc(y[test], model.fit(X[order], y[order]).decision_function(X[test]))


def compare_orders(names):
    table = []
    for name in names:
        X, y, train, test = read(name)
        Z = X if sparse.issparse(X) else StandardScaler().fit(X[train]).transform(X)
        found = [
            (title, online(X, y, order, test), averaged_sgd(Z, y, order, test))
            for title, order in orders(X, y, train)
        ]
        if not table:
            print(f"{'':18}" + "".join(f"{title:>11}" for title, _, _ in found))
        table.append([row[1:] for row in found])
        for title, k in ((name, 0), ("  averaged SGD", 1)):
            print(f"{title:18}" + "".join(f"{row[k]:11.4f}" for row in table[-1]), flush=True)
    for title, values in zip(("mean", "  averaged SGD"), np.mean(table, axis=0).T, strict=True):
        print(f"{title:18}" + "".join(f"{value:11.4f}" for value in values))


def break_rows(names):
    places = 0, 1, 10, 1000
    print(f"{'':18}{'clean':>9}" + "".join(f"{f'row {place}':>10}" for place in places))
    for name in names:
        X, y, train, test = read(name)
        clean = online(X, y, train, test)
        print(f"{name:18}{clean:9.4f}")
        for size in (1e6, 1e300, 5e-324):
            gaps = [with_broken_row(X, y, train, test, train[place], size) - clean for place in places]
            print(f"{size:18g}{'':9}" + "".join(f"{gap:+10.4f}" for gap in gaps), flush=True)


def with_broken_row(X, y, train, test, row, size):
    """Test AUC where the values of one row, those that are stored, are of this size with signs in turn."""
    X = X.copy()
    values = X.data[X.indptr[row] : X.indptr[row + 1]] if sparse.issparse(X) else X[row]
    values[:] = size * np.where(np.arange(len(values)) % 2, -1.0, 1.0)
    return online(X, y, train, test)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["orders", "others", "broken"])
    parser.add_argument("--only", nargs="+", default=SETS, help="these data sets only")
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # SGD warns that one pass is not enough
    if args.what == "others":
        compare_orders(OTHERS)
    else:
        {"orders": compare_orders, "broken": break_rows}[args.what](args.only)


if __name__ == "__main__":
    main()
