"""How the defaults of OnlineAUCClassifier were found: searched on half of the data sets, tested on the other.

    python benchmarks/online_defaults.py [--quick]

A setting's figure on a data set is its test AUC minus that of the best of three peers (see ``online.py``).
Settings are ranked by the mean of these, each cut to between -.02 and +.01: being far ahead on one set does
not make up for being behind on another. The default need not be the first of them: the first dozen are nearly
as good as each other, and of those one of the lowest degree is taken, which is the cheapest.
"""

import argparse
import itertools
import warnings

import numpy as np
from online import SETS, online, peers, problem, splits

SEARCHED, TESTED = SETS[::2], SETS[1::2]
GRID = {"step_size": [0.1, 0.2, 0.4, 0.8], "score_range": [2.0, 3.0, 4.0, 6.0], "degree": [15, 30, 45]}


def prepared(name, n_splits):
    """The data of a set, its first splits, and the mean AUC of the best peer."""
    X, y = problem(name)
    cut = list(itertools.islice(splits(y), n_splits))
    others = np.mean([peers(name, X, y, train, test, seed) for seed, train, test in cut], axis=0)
    return X, y, cut, others.max()


def margin(data, settings):
    X, y, cut, best = data
    return np.mean([online(X, y, train, test, **settings) for _, train, test in cut]) - best


def value(margins):
    return float(np.clip(margins, -0.02, 0.01).mean())


def line(title, margins):
    found = 1e4 * np.array(margins)
    ahead = np.mean(found > -0.5)
    return f"{title:44}{1e4 * value(margins):8.1f}{found.mean():8.1f}{ahead:8.0%}{found.min():8.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one split of each set")
    n_splits = 1 if parser.parse_args().quick else 50
    warnings.simplefilter("ignore")  # SGD warns that one pass is not enough
    settings = [dict(zip(GRID, values, strict=True)) for values in itertools.product(*GRID.values())]
    margins = [[] for _ in settings]
    for name in SEARCHED:
        data = prepared(name, n_splits)
        for found, setting in zip(margins, settings, strict=True):
            found.append(margin(data, setting))
    order = sorted(range(len(settings)), key=lambda k: -value(margins[k]))
    head = f"{'':44}{'ranked':>8}{'mean':>8}{'ahead':>8}{'worst':>8}"
    print(f"Searched on {', '.join(SEARCHED)}; AUC minus the best peer's, in 1e-4\n{head}")
    for k in order:
        print(line(", ".join(f"{key} {number:g}" for key, number in settings[k].items()), margins[k]))

    chosen = {"the best of them": settings[order[0]], "the defaults": {}}
    tested = {title: [] for title in chosen}
    print(f"\nTested on the others\n{'':24}" + "".join(f"{title:>20}" for title in chosen))
    for name in TESTED:
        data = prepared(name, n_splits)
        for title, setting in chosen.items():
            tested[title].append(margin(data, setting))
        print(f"{name:24}" + "".join(f"{1e4 * found[-1]:20.1f}" for found in tested.values()), flush=True)
    print(head)
    for title, found in tested.items():
        print(line(title, found))


if __name__ == "__main__":
    main()
