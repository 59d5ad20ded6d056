"""aucmax warm-up: afterwards no command compiles anything."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

from aucmax.kernels import jit

SCRIPT = """
import gc, json, sys
import numba
from aucmax.cli import main

def run(*arguments):
    try:
        main([*arguments])
    except SystemExit as left:
        assert left.code == 0, arguments

def compiled():
    kernels = [each for each in gc.get_objects() if isinstance(each, numba.core.dispatcher.Dispatcher)]
    own = [each for each in kernels if each.py_func.__module__.startswith("aucmax.")]
    return {f"{each.py_func.__qualname__}{types}" for each in own for types in each.overloads}

csv, svm, folder = sys.argv[1:]
run("warm-up")
before = compiled()
for data, options in ((csv, ["--label", "state"]), (svm, [])):
    for more in ([], ["--test", data], ["--max-fpr", "0.1"], ["--stream"], ["--loss", "logistic"]):
        run("train", data, *options, *more, "-o", f"{folder}/m.auc")
        run("predict", f"{folder}/m.auc", data, "-o", f"{folder}/scores")
        run("report", f"{folder}/m.auc", data, "-o", f"{folder}/report.html")
        run("evaluate", f"{folder}/m.auc", data, *options)
    run("compare", data, *options)
print(json.dumps(sorted(compiled() - before)))
"""


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_nothing_is_left_to_compile(files, tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, files.csv, files.svm, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("reading, dense rows ")
    folder = next(line for line in lines if line.startswith("compiled in ")).partition("the code is in ")[2]
    assert Path(folder).is_dir()
    assert json.loads(lines[-1]) == []


def test_no_folder_to_write_to_is_an_error(run, monkeypatch):
    monkeypatch.setattr("aucmax.cli.commands.warm_up.steps", lambda folder: [("nothing", lambda: None)])
    monkeypatch.setattr(jit, "cache_folder", lambda: None)
    done = run("warm-up")
    assert done.code == 1
    assert "there is no folder to keep compiled code in; set NUMBA_CACHE_DIR" in done.err


def test_the_folder_of_the_code_is_told(run, monkeypatch):
    monkeypatch.setattr("aucmax.cli.commands.warm_up.steps", lambda folder: [("nothing", lambda: None)])
    monkeypatch.setattr(jit, "cache_folder", lambda: "/a/b")
    found = json.loads(run("warm-up", "--json").out)
    assert (found["cache"], list(found["steps"])) == ("/a/b", ["nothing"])


def test_the_folder_of_the_code_is_that_of_all_kernels(monkeypatch):
    monkeypatch.setattr(jit._PackageCache, "folders", set())
    assert jit.cache_folder() is None
    monkeypatch.setattr(jit._PackageCache, "folders", {"/a/b/c", "/a/b/d"})
    assert jit.cache_folder() == "/a/b"
