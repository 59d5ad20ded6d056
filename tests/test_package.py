"""Wheel and sdist: what they hold, and that they run with nothing but what they ask for.

The empty environments of most tests are made of links to the packages installed here, but only to those that
the wheel requires: a package that is used but not required is missing there. This takes seconds and no
network. `make package` installs from the package index instead.
"""

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import aucmax

ROOT = Path(__file__).parent.parent
FEATURES = ("cli", "dask", "export", "gpu")
FIT = """
import numpy as np, aucmax
from aucmax.metrics import auc_interval
X = np.random.default_rng(0).normal(size=(60, 3)); y = X[:, 0] > 0.5
for name in ("AUCClassifierCV", "OnlineAUCClassifier", "SOLAM"):
    model = getattr(aucmax, name)().fit(X, y)
    assert auc_interval(y, model.decision_function(X)).auc > 0.8, name
print(aucmax.__version__, aucmax.__file__)
"""
needs_sources = pytest.mark.skipif(not (ROOT / "pyproject.toml").exists(), reason="no sources to build from")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The wheel and the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, sdist


def headers(wheel, name):
    """The values of a field in the metadata of the wheel."""
    with zipfile.ZipFile(wheel) as file:
        (path,) = [each for each in file.namelist() if each.endswith(".dist-info/METADATA")]
        return metadata.PathDistribution(zipfile.Path(file, str(Path(path).parent) + "/")).metadata.get_all(
            name
        )


def requirements(wheel, extra=""):
    """What the wheel requires for an extra; extras of its own are followed."""
    for found in map(Requirement, headers(wheel, "Requires-Dist")):
        if found.marker is not None and not found.marker.evaluate({"extra": extra}):
            continue
        if found.name == "aucmax":
            for each in found.extras:
                yield from requirements(wheel, each)
        else:
            yield found


def linked_environment(folder, wheel, extra=""):
    """Python in a new environment with the wheel and links to the packages that it requires, no others."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    with zipfile.ZipFile(wheel) as file:
        file.extractall(site)
    waiting, seen = list(requirements(wheel, extra)), set()
    while waiting:
        wanted = waiting.pop()
        for name in {"", *wanted.extras}:
            if (wanted.name, name) in seen:
                continue
            seen.add((wanted.name, name))
            package = metadata.distribution(wanted.name)
            assert wanted.specifier.contains(Version(package.version), prereleases=True), wanted
            for each in map(Requirement, package.requires or ()):
                if each.marker is None or each.marker.evaluate({"extra": name}):
                    waiting.append(each)
            for top in {Path(file).parts[0] for file in package.files} - {"..", "__pycache__", "/"}:
                if not (site / top).exists():
                    (site / top).symlink_to(package.locate_file(top))
    return folder / "bin" / "python"


def run(python, *arguments, **environment):
    """Run Python with kernels as plain code, which need no minute to compile; its output."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [str(python), *map(str, arguments)],
        env=kept | {"NUMBA_DISABLE_JIT": "1"} | environment,
        capture_output=True,
        text=True,
        cwd=Path(python).parent,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_rows(path):
    """A table that can be trained on."""
    lines = [f"{k % 7},{'a' if k % 3 else 'b'},{int(k % 7 > 3)}" for k in range(60)]
    path.write_text("\n".join(["number,text,label", *lines]) + "\n")
    return path


@needs_sources
def test_contents(built):
    wheel, sdist = built
    with zipfile.ZipFile(wheel) as file:
        names = set(file.namelist())
    source = ROOT / "src"
    files = [path for path in source.rglob("*") if path.is_file() and path.parent.name != "__pycache__"]
    sources = {path.relative_to(source).as_posix() for path in files}
    assert "aucmax/py.typed" in sources
    assert "aucmax/report/page.css" in sources
    assert {name for name in names if ".dist-info/" not in name} == sources
    assert any(name.endswith("licenses/LICENSE") for name in names)
    with tarfile.open(sdist) as file:
        inside = {name.partition("/")[2] for name in file.getnames()}
    assert {
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "CITATION.cff",
        "pyproject.toml",
        "tests/conftest.py",
    } <= inside
    assert not {name for name in inside if name.startswith((".venv", "build/", "aucmax-demo"))}


@needs_sources
def test_one_version():
    citation = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {aucmax.__version__}\n" in citation
    date = re.search(r"\ndate-released: (\S+)\n", citation).group(1)
    assert f"\n## {aucmax.__version__} ({date})\n" in (ROOT / "CHANGELOG.md").read_text()


@needs_sources
def test_all_is_every_feature(built):
    extras = set(headers(built[0], "Provides-Extra"))
    assert extras == {*FEATURES, "all", "bench", "docs", "test", "integrations"}
    everything = {each.name for each in requirements(built[0], "all")}
    assert everything == {each.name for name in FEATURES for each in requirements(built[0], name)}


@needs_sources
@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_core_alone(built, tmp_path):
    python = linked_environment(tmp_path / "core", built[0])
    version, path = run(python, "-c", FIT).split()
    assert version == aucmax.__version__
    assert Path(path).is_relative_to(tmp_path)
    done = subprocess.run([python, "-m", "aucmax"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert 'pip install "aucmax[cli]"' in done.stderr


@needs_sources
@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_command_line(built, tmp_path):
    python = linked_environment(tmp_path / "cli", built[0], "cli")
    rows, model, page = write_rows(tmp_path / "rows.csv"), tmp_path / "m.auc", tmp_path / "report.html"
    assert "AUCClassifierCV" in run(python, "-m", "aucmax", "train", rows, "--label", "label", "-o", model)
    run(python, "-m", "aucmax", "report", model, rows, "-o", page)
    assert page.read_text().startswith("<!DOCTYPE html>")


@needs_sources
@pytest.mark.package
@pytest.mark.parametrize("extra", ["", "cli", "dask"])
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_install(built, tmp_path, kind, extra):
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "new")], check=True)
    python = tmp_path / "new" / "bin" / "python"
    what = str(built[0 if kind == "wheel" else 1]) + (f"[{extra}]" if extra else "")
    subprocess.run([python, "-m", "pip", "install", "--quiet", what], check=True)
    assert run(python, "-c", FIT).split()[0] == aucmax.__version__
    if extra == "cli":
        program = tmp_path / "new" / "bin" / "aucmax"
        rows = write_rows(tmp_path / "rows.csv")
        subprocess.run([program, "train", rows, "--label", "label", "-o", tmp_path / "m.auc"], check=True)
    if extra == "dask":
        run(python, "-c", "import aucmax.distributed as d; d.DaskAUCClassifier")


@needs_sources
@pytest.mark.package
@pytest.mark.parametrize("extra", ["gpu", "all"])
def test_resolve(built, tmp_path, extra):
    """torch takes gigabytes, so what would be installed is only worked out."""
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "new")], check=True)
    python = tmp_path / "new" / "bin" / "python"
    command = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--dry-run",
        "--report",
        "-",
        f"{built[0]}[{extra}]",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert '"name": "torch"' in done.stdout
