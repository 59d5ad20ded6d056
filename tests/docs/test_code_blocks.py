"""Python in the README and the guides that has no prompt, so that doctest does not run it, runs here.

The names that a page takes for given (`X`, `score`, `chunks`) and the files that it reads are small ones.
Python with a prompt is run by doctest, and commands by `tests/cli/test_documented_commands.py`.
"""

import bz2
import gzip
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from aucmax import OnlineAUCClassifier
from aucmax.metrics import StreamingAUC

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEEDS = {"distributed": "dask.dataframe", "gpu": "torch", "online": "river"}  # package of a page
GPU_NAMES = "import numpy as np; X = np.random.rand(60, 3); y = X[:, 0] > 0.5\n"
CLUSTER = 'Client("scheduler:8786")'


def blocks(page):
    """The Python of a page that has no prompt."""
    return [code for code in _BLOCK.findall(page.read_text(encoding="utf-8")) if ">>>" not in code]


@pytest.fixture
def names(tmp_path, monkeypatch):
    """What the pages take for given, in a folder with the files that they read."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    text = "".join(f"{2 * label - 1} 1:{a:.3f} 2:{b:.3f}\n" for label, (a, b, _) in zip(y, X, strict=True))
    table = pa.table({"age": X[:, 0], "size": X[:, 1], "churned": y, "click": y})
    for folder in ("sales", "clicks"):
        (tmp_path / folder).mkdir()
        pyarrow.parquet.write_table(table, tmp_path / folder / "part.parquet")
    rows = "age,size,churned\n" + "".join(f"{a:.3f},{b:.3f},{k}\n" for (a, b, _), k in zip(X, y, strict=True))
    for name in ("train.csv", "jan.csv", "clicks.svm"):
        (tmp_path / name).write_text(rows if name.endswith(".csv") else text)
    (tmp_path / "feb.csv.gz").write_bytes(gzip.compress(rows.encode()))
    (tmp_path / "clicks.svm.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "a9a.t.bz2").write_bytes(bz2.compress(text.encode()))
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    monkeypatch.chdir(tmp_path)
    score = X[:, 0]
    given = {"X": X, "y": y, "X_test": X, "y_test": y, "w": np.ones(200), "model": OnlineAUCClassifier()}
    return given | {"score": score, "score_a": score, "score_b": X[:, 1], "other_stream": StreamingAUC()}


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem)
@pytest.mark.filterwarnings("ignore")
def test_python_without_prompt_runs(page, names):
    if page.stem in NEEDS:
        pytest.importorskip(NEEDS[page.stem], reason=f"{page.name} is about it")
    if page.stem == "gpu":  # in a process of its own, since SciPy reads a variable when it is imported
        pytest.importorskip("array_api_compat", reason="scikit-learn needs it for arrays of torch")
        code = blocks(page)[0].replace('os.environ["SCIPY_ARRAY_API"] = "1"', "").replace("cuda", "cpu")
        program = 'import os; os.environ["SCIPY_ARRAY_API"] = "1"\n' + GPU_NAMES + code
        subprocess.run([sys.executable, "-c", program], check=True, timeout=300)
        return
    X, y = names["X"], names["y"]
    for code in blocks(page):
        # Streams of a page about metrics give labels and scores, those of one about models give rows.
        names["chunks"] = [(y, names["score"])] if page.stem == "metrics" else [(X, y)]
        exec(compile(code.replace(CLUSTER, "None"), page.name, "exec"), names)


def test_blocks_are_found():
    """A fence of another form would hide its code from every test."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        fences = re.findall(r"^[ ]*(?:```|~~~)[ ]*([\w+-]+)", text, re.MULTILINE)
        assert set(fences) <= {"python"}, page.name
        assert len(fences) == len(_BLOCK.findall(text)), page.name
