"""Machine code cached on disk: recompiled after a change, not compiled twice, optional."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import aucmax
from aucmax.kernels.jit import kernel

SCRIPT = """
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


def run(package, code=SCRIPT, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")}
    env |= {"PYTHONPATH": str(package.parent), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_second_process_compiles_nothing(package):
    assert run(package) == ["3.0", "0"]
    assert run(package) == ["3.0", "1"]


def test_a_changed_function_in_another_file_is_recompiled(package):
    script = SCRIPT.replace(
        "from aucmax.kernels.rows import as_rows, scores",
        "from aucmax.stochastic.engine.class_sums import _add_rows",
    ).replace(
        "out = scores(as_rows(np.ones((2, 3))), np.ones(3))",
        "out = np.zeros(3); _add_rows(np.ones((2, 3)), np.ones(2), out, np.zeros(3))",
    )
    script = script.replace('getattr(scores, "stats", None)', 'getattr(_add_rows, "stats", None)')
    assert run(package, script) == ["2.0", "0"]
    assert run(package, script) == ["2.0", "1"]
    rows = package / "kernels" / "rows.py"
    text = rows.read_text()
    assert "u[j] += c * X[i, j]" in text
    rows.write_text(text.replace("u[j] += c * X[i, j]", "u[j] += 2.0 * c * X[i, j]"))
    assert run(package, script) == ["4.0", "0"]


def test_code_compiled_for_a_removed_class_is_replaced(package):
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
    script = """
from aucmax.kernels.scratch import {name}, add
print(add({name}(1.0, 2.0)))
stats = getattr(add, "stats", None)
print(sum(stats.cache_hits.values()) if stats else -1)
"""
    (package / "kernels" / "scratch.py").write_text(source)
    assert run(package, script.format(name="Pair")) == ["3.0", "0"]
    (package / "kernels" / "scratch.py").write_text(source.replace("Pair", "Couple"))
    assert run(package, script.format(name="Couple")) == ["3.0", "0"]
    assert run(package, script.format(name="Couple")) == ["3.0", "1"]


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


def test_the_digest_depends_on_imported_files_only(package):
    code = """
from pathlib import Path
from aucmax.kernels import jit as _jit

def digests(*names):
    _jit.source_digest.cache_clear()
    return [_jit.source_digest(_jit.PACKAGE / name) for name in names]

def change(name):
    with open(_jit.PACKAGE / name, "a") as file:
        file.write("# changed")

solam, rows = digests("stochastic/solam.py", "kernels/rows.py")
change("testing.py")
assert digests("stochastic/solam.py", "kernels/rows.py") == [solam, rows]
change("stochastic/engine/loop.py")
new, same = digests("stochastic/solam.py", "kernels/rows.py")
print(new != solam, same == rows)
"""
    assert run(package, code) == ["True", "True"]


def test_numba_still_has_the_private_attributes_that_the_cache_sets():
    @kernel
    def nothing(x):
        return x

    if not hasattr(nothing, "_cache"):
        pytest.skip("NUMBA_DISABLE_JIT is set: nothing is compiled")
    assert nothing(3) == 3
    assert len(nothing._cache._cache_file._source_stamp) == 64


def test_an_in_place_kernel_counts_no_references():
    code = """
import numpy as np
from aucmax.kernels.jit import in_place_kernel, inlined, kernel

@inlined
def fill(parts, value):
    part = parts[1]
    for k in range(len(part)):
        part[k] = value

def fill_often(parts, n):
    for value in range(n):
        fill(parts, value)

parts, counted = (np.zeros(3), np.zeros(3)), []
for decorate in (kernel, in_place_kernel):
    compiled = decorate(fill_often)
    compiled(parts, 5)
    (text,) = compiled.inspect_llvm().values()
    counted.append(text.split("define ")[1].count("NRT_incref"))
print(parts[1].tolist(), counted[1])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[4.0, 4.0, 4.0] 0"
