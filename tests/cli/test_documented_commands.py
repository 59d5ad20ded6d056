"""Every command in a shell block of the README and the guides runs, on small files of the names that it has.

Of commands that take hours or compile everything, and of those within a line of text, only the options are
checked.
"""

import gzip
import itertools
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
import typer

from aucmax.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
NOT_RUN = ("reproduce", "warm-up", "demo")
LABELS = {"customers": "churned", "loans": "default", "payments": "kind", "new": None}
# Dates cannot be exported to ONNX.
TRAINED = ("train", "customers.csv", "--label", "churned", "--drop", "since", "-o", "trained.auc")
_BLOCK = re.compile(r"^```(?:|sh|bash|shell|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`(aucmax [a-z-]+[^`\n]*)`")
PROGRAM = typer.main.get_command(app)


def blocks(page):
    """The commands of each shell block of a page, as lists of arguments; prompts and output are left out."""
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        lines = [re.sub(r"^(\$|RUN) ", "", line) for line in block.replace("\\\n", " ").splitlines()]
        words = [shlex.split(line.partition(" && ")[0], comments=True) for line in lines if "aucmax " in line]
        if found := [arguments[1:] for arguments in words if arguments[:1] == ["aucmax"]]:
            yield found


def unknown_options(arguments):
    """The options that a command does not have."""
    params = PROGRAM.commands[arguments[0]].params
    known = {option for each in params for option in (*each.opts, *each.secondary_opts)}
    return {word for word in arguments if re.match(r"--?[a-z]", word)} - known


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the pages speak of."""
    rng = np.random.default_rng(0)
    age, income, town = rng.integers(18, 80, 240), rng.lognormal(8, 1, 240).round(2), rng.integers(0, 3, 240)
    high = age + 20 * town + 15 * rng.normal(size=240) > 75
    columns = {
        "customer": [f"C{k:04d}" for k in rng.permutation(240)],
        "age": age,
        "income": ["" if k % 9 == 0 else value for k, value in enumerate(income)],
        "town": np.array(["Ulm", "Bonn", "Kiel"])[town],
        "since": [f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(240)],
    }
    labels = {
        "churned": np.where(high, "yes", "no"),
        "default": high.astype(int),
        "kind": np.where(high, "fraud", "legit"),
    }
    for name, label in LABELS.items():
        table = columns | (labels if label is None else {label: labels[label]})
        rows = [",".join(map(str, row)) for row in zip(*table.values(), strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join([",".join(table), *rows]) + "\n")
    lines = [f"{2 * y - 1:+d} 1:{a} 2:{t + 1}\n" for y, a, t in zip(high, age, town, strict=True)]
    for name in ("a9a", "a9a.t", "ijcnn1", "ijcnn1.t"):
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "clicks.svm.gz").write_bytes(gzip.compress("".join(lines).encode()))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if any(blocks(page))], ids=lambda page: page.name)
@pytest.mark.filterwarnings("ignore")
def test_shell_blocks_run(run, folder, page):
    assert run(*TRAINED).code == 0
    for block in blocks(page):
        shutil.copy("trained.auc", "model.auc")  # for those that do not train it
        for arguments in block:
            assert not unknown_options(arguments), arguments
            if arguments[0] in NOT_RUN:
                continue
            done = run(*arguments)
            assert done.code == 0, (arguments, done.err)
            for option, value in itertools.pairwise(arguments):
                if option in ("-o", "--plot"):
                    assert (folder / value).stat().st_size > 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_within_text_have_options_that_exist(page):
    for text in _INLINE.findall(page.read_text(encoding="utf-8")):
        assert not unknown_options(shlex.split(text)[1:]), text


def test_mistakes_are_noticed(run, folder):
    (folder / "page.md").write_text(
        "```\n$ aucmax train customers.csv \\\n  --lable churned -o m.auc\nout\n```\n"
    )
    ((arguments,),) = blocks(folder / "page.md")
    assert arguments == ["train", "customers.csv", "--lable", "churned", "-o", "m.auc"]
    assert unknown_options(arguments) == {"--lable"}
    assert run(*arguments).code == 2
    assert unknown_options(["reproduce", "list", "--quik"]) == {"--quik"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_other_programs_exist(page):
    """Targets of make, extras of pip, and scripts."""
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    project = (ROOT / "pyproject.toml").read_text()
    extras = re.findall(r"^(\w+) = \[", project.partition("[project.optional-dependencies]")[2], re.MULTILINE)
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE)) <= set(targets)
    for found in re.findall(r'"(?:aucmax|\.)\[([a-z,]+)\]"', text):
        assert set(found.split(",")) <= set(extras), found
    for found in re.findall(r"python ((?:benchmarks|examples)/\w+\.py)", text):
        assert (ROOT / found).exists(), found
