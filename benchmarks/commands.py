"""The commands as a user runs them: seconds of train and predict, and the memory of a long stream.

    python benchmarks/commands.py [--repeats 5] [--rows 10000000] [--folder /tmp]

Needs a9a in $AUCMAX_DATA. The first run of each command is not counted: it compiles. The stream is LIBSVM
text of about 200 bytes a row, generated in the folder and deleted at the end; its rows are drawn from
50,000 distinct ones. Memory is that of the whole process, sampled ten times a second.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import psutil

DISTINCT = 50_000


def aucmax(*arguments):
    return [sys.executable, "-m", "aucmax", *map(str, arguments)]


def timed(command, repeats):
    """Shortest wall-clock and processor seconds of a command."""
    walls, cpus = [], []
    for _ in range(repeats + 1):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        walls.append(time.perf_counter() - start)
        cpus.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(walls[1:]), min(cpus[1:])


def short_commands(folder, repeats):
    model, scores = folder / "m.auc", folder / "scores.txt"
    test = Path(os.environ["AUCMAX_DATA"]) / "a9a.t.svm.xz"
    commands = {
        "train a9a": aucmax("train", "a9a", "-o", model),
        "predict a9a.t (16,281 rows)": aucmax("predict", model, test, "-o", scores),
        "evaluate a9a.t": aucmax("evaluate", model, test),
        "inspect": aucmax("inspect", model),
        "--help": aucmax("--help"),
    }
    print(f"{'':30}{'wall s':>8}{'cpu s':>8}")
    for name, command in commands.items():
        wall, cpu = timed(command, repeats)
        print(f"{name:30}{wall:8.2f}{cpu:8.2f}", flush=True)


def write_rows(path, n_rows, n_features=200, per_row=17):
    rng = np.random.default_rng(0)
    w = rng.normal(size=n_features)
    lines = []
    for _ in range(DISTINCT):
        columns = np.sort(rng.choice(n_features, per_row, replace=False))
        values = rng.normal(size=per_row).round(5)
        label = "+1" if values @ w[columns] + rng.normal() > 8 else "-1"
        pairs = zip((columns + 1).tolist(), values.tolist(), strict=True)
        lines.append(label + "".join(f" {k}:{value}" for k, value in pairs) + "\n")
    with open(path, "w") as file:
        for start in range(0, n_rows, DISTINCT):
            order = rng.permutation(DISTINCT)[: n_rows - start]
            file.write("".join([lines[k] for k in order]))


def long_stream(folder, n_rows):
    data, model, checkpoint = folder / "rows.svm", folder / "stream.auc", folder / "run.ckpt"
    write_rows(data, n_rows)
    print(
        f"\n{n_rows:,} rows, {data.stat().st_size / 1e9:.2f} GB of LIBSVM text, train --stream --checkpoint"
    )
    command = aucmax("train", data, "--stream", "--checkpoint", checkpoint, "-o", model, "--json")
    start, memory = time.perf_counter(), []
    with subprocess.Popen([*command, "--n-features", "200"], stdout=subprocess.PIPE) as process:
        monitored = psutil.Process(process.pid)
        while process.poll() is None:
            memory.append(monitored.memory_info().rss / 1e6)
            time.sleep(0.1)
        found = json.loads(process.stdout.read())
    wall = time.perf_counter() - start
    parts = ", ".join(f"{name} {value:.1f}" for name, value in found["seconds"].items())
    print(f"{wall:.1f} s ({parts}); {n_rows / wall:,.0f} rows/s; prequential AUC {found['auc']:.4f}")
    quarters = [memory[int(share * (len(memory) - 1))] for share in (0.25, 0.5, 0.75, 1.0)]
    print("memory in MB at each quarter:", *(f"{value:.0f}" for value in quarters), f"most {max(memory):.0f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=10_000_000, help="0 leaves the stream out")
    parser.add_argument("--folder", default=None, help="where the generated file goes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        if options.repeats:
            short_commands(Path(name), options.repeats)
        if options.rows:
            long_stream(Path(name), options.rows)
