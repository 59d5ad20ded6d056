"""The machine code on disk: never stale, never compiled twice, never in the way."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import aucmax
from aucmax.kernels.jit import kernel

PROBE = """
import numpy as np
from aucmax.kernels.rows import as_rows, scores
out = scores(as_rows(np.ones((2, 3))), np.ones(3))
stats = getattr(scores, "stats", None)
hits = sum(stats.cache_hits.values()) if stats else -1
print(out[0], hits)
"""


@pytest.fixture
def package(tmp_path):
    """A copy of the package that a test may change."""
    copy = tmp_path / "lib" / "aucmax"
    shutil.copytree(Path(aucmax.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def run(package, code=PROBE, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    env |= {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_second_process_compiles_nothing(package):
    assert run(package) == ["3.0", "0"]
    assert run(package) == ["3.0", "1"]


def test_a_changed_helper_in_another_file_is_seen(package):
    probe = PROBE.replace(
        "from aucmax.kernels.rows import as_rows, scores",
        "from aucmax.stochastic.engine.class_sums import _add_rows",
    ).replace(
        "out = scores(as_rows(np.ones((2, 3))), np.ones(3))",
        "out = np.zeros(3); _add_rows(np.ones((2, 3)), np.ones(2), out, np.zeros(3))",
    )
    probe = probe.replace('getattr(scores, "stats", None)', 'getattr(_add_rows, "stats", None)')
    assert run(package, probe) == ["2.0", "0"]
    assert run(package, probe) == ["2.0", "1"]
    rows = package / "kernels" / "rows.py"
    text = rows.read_text()
    assert "u[j] += c * X[i, j]" in text
    rows.write_text(text.replace("u[j] += c * X[i, j]", "u[j] += 2.0 * c * X[i, j]"))
    assert run(package, probe) == ["4.0", "0"]


def test_code_compiled_for_a_class_that_is_gone_is_replaced(package):
    source = """
from typing import NamedTuple
from .jit import kernel

class Pair(NamedTuple):
    a: float
    b: float

@kernel
def add(pair):
    return pair.a + pair.b
"""
    probe = """
from aucmax.kernels.scratch import {name}, add
print(add({name}(1.0, 2.0)))
stats = getattr(add, "stats", None)
print(sum(stats.cache_hits.values()) if stats else -1)
"""
    (package / "kernels" / "scratch.py").write_text(source)
    assert run(package, probe.format(name="Pair")) == ["3.0", "0"]
    (package / "kernels" / "scratch.py").write_text(source.replace("Pair", "Couple"))
    assert run(package, probe.format(name="Couple")) == ["3.0", "0"]
    assert run(package, probe.format(name="Couple")) == ["3.0", "1"]


def test_works_where_nothing_can_be_written(package, tmp_path):
    # A plain file stands where a folder would have to be: this stops root too, unlike permissions.
    for folder in (package, package / "kernels"):
        (folder / "__pycache__").write_text("")
    blocked = tmp_path / "blocked"
    blocked.write_text("")
    home = {"HOME": str(blocked), "XDG_CACHE_HOME": str(blocked)}
    assert run(package, **home) == ["3.0", "0"]
    assert run(package, **home) == ["3.0", "0"]


def test_importing_compiles_nothing_and_loads_little(package):
    code = (
        "import sys, aucmax; assert 'numba' not in sys.modules and 'sklearn' not in sys.modules;"
        "import aucmax.stochastic.solam as s; print(len(getattr(s.epoch, 'signatures', ())))"
    )
    assert run(package, code) == ["0"]


def test_the_stamp_follows_imports_and_nothing_else(package):
    code = """
from pathlib import Path
from aucmax.kernels import jit as _jit

def stamps(*names):
    _jit.stamp.cache_clear()
    return [_jit.stamp(_jit.PACKAGE / name) for name in names]

def change(name):
    with open(_jit.PACKAGE / name, "a") as file:
        file.write("# changed")

solam, rows = stamps("stochastic/solam.py", "kernels/rows.py")
change("testing.py")
assert stamps("stochastic/solam.py", "kernels/rows.py") == [solam, rows]
change("stochastic/engine/schedules.py")
new, same = stamps("stochastic/solam.py", "kernels/rows.py")
print(new != solam, same == rows)
"""
    assert run(package, code) == ["True", "True"]


def test_numba_still_has_what_the_cache_relies_on():
    @kernel
    def nothing(x):
        return x

    if hasattr(nothing, "_cache"):  # compiled, not plain Python
        assert nothing(3) == 3
        assert len(nothing._cache._cache_file._source_stamp) == 64
