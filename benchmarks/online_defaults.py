"""OnlineAUCClassifier with other constants: varied one by one on half of the sets, judged on the other half.

    python benchmarks/online_defaults.py [--quick]

Each line is a setting: its test AUC less that of the best of three peers (see ``online.py``), each difference
cut to between -.02 and +.01, as a mean over the searched half and over the judged half, in 1e-4. A setting
of compiled constants (``aucmax/streaming/constants.py``) runs in a process of its own.
"""

import argparse
import itertools
import json
import os
import pickle
import subprocess
import sys
import tempfile
import warnings

import numpy as np

SETTINGS = [
    {}, {"step_size": 0.1}, {"step_size": 0.4}, {"reservoir": 0}, {"reservoir": 1024}, {"reservoir": 16384},
    {"RECENT": 32}, {"RECENT": 128}, {"MAX_BALANCE": 4}, {"MAX_BALANCE": 16},
    {"REPLAY_PERIOD": 8}, {"REPLAY_PERIOD": 32}, {"PRIOR_ROWS": 4.0}, {"PRIOR_ROWS": 32.0},
    {"MAX_LENGTH": 1.5}, {"MAX_LENGTH": 4.0}, {"CLIP": 10.0}, {"CLIP": 100.0},
    {"MAX_RATIO": 8.0}, {"MAX_RATIO": 64.0}, {"UNEVEN": 4.0}, {"UNEVEN": 64.0},
]  # fmt: skip


def store_problems(folder):
    """Parse the files once; each process then loads arrays."""
    from online import SETS, problem

    for name in SETS:
        with open(f"{folder}/{name}", "wb") as file:
            pickle.dump(problem(name), file)


def scores(setting, folder, quick):
    """Test AUC of each set with this setting; those of the best peers if it is None."""
    if setting is not None:
        from aucmax.streaming import constants

        for name in [name for name in setting if name.isupper()]:
            setattr(constants, name, setting.pop(name))
    from online import SETS, online, peers, splits

    found = {}
    for name in SETS:
        with open(f"{folder}/{name}", "rb") as file:
            X, y = pickle.load(file)
        cut = list(itertools.islice(splits(y), 1 if quick else 10))
        if setting is None:
            rows = [peers(name, X, y, train, test, seed) for seed, train, test in cut]
            found[name] = float(np.mean(rows, axis=0).max())
        else:
            found[name] = float(np.mean([online(X, y, train, test, **setting) for _, train, test in cut]))
    return found


def in_own_process(setting, folder, quick):
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, __file__, "--one", json.dumps(setting), "--folder", folder]
        command += ["--quick"] if quick else []
        done = subprocess.run(
            command, stdout=subprocess.PIPE, check=True, env=os.environ | {"NUMBA_CACHE_DIR": cache}
        )
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="one split of each set")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # SGD warns that one pass is not enough
    if args.one is not None:
        print(json.dumps(scores(json.loads(args.one), args.folder, args.quick)))
        return
    with tempfile.TemporaryDirectory() as folder:
        store_problems(folder)
        compare(folder, args.quick)


def compare(folder, quick):
    best = in_own_process(None, folder, quick)
    names = list(best)
    print(f"{'':24}{'searched':>10}{'judged':>10}{'worst':>10}\nsearched on {', '.join(names[::2])}")
    for setting in SETTINGS:
        found = in_own_process(setting, folder, quick)
        gaps = 1e4 * np.array([found[name] - best[name] for name in names])
        ranked = np.clip(gaps, -200, 100)
        title = ", ".join(f"{name} {value:g}" for name, value in setting.items()) or "as it is"
        print(
            f"{title:24}{ranked[::2].mean():10.1f}{ranked[1::2].mean():10.1f}{gaps.min():10.1f}", flush=True
        )


if __name__ == "__main__":
    main()
