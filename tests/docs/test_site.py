"""The documentation site, without building it: public names, links, navigation, and the check of links."""

import re
import sys
from pathlib import Path

import pytest

import aucmax

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path[:0] = [str(DOCS / "extensions"), str(DOCS / "checks")]

from links import find_problems  # noqa: E402
from public_api import link_targets, make_pages, own_members, public_modules, public_names, write_pages  # noqa: E402

GUIDES = sorted(DOCS.glob("*.md"))
ENTRIES = [entry for module in public_modules() for entry in public_names(module)]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_FILE = re.compile(
    r"(?<!_)\b((?:benchmarks|examples|tests|docs)/[\w/-]+\.(?:py|md|json|svg|png))(?:::(\w+))?"
)
_TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)


def anchors(page):
    """The anchors that a Markdown file's headings get."""
    titles = re.findall(
        r"^#+ (.*)$", _CODE.sub(lambda found: found[0].replace("\n#", "\n"), page), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def relative_links(page):
    """The links of a Markdown file to other files, without those in code."""
    text = _CODE.sub("", page.read_text(encoding="utf-8"))
    return [link for link in _LINK.findall(text) if not re.match(r"\w+:", link)]


def test_every_public_module_is_listed():
    stub = (ROOT / "src/aucmax/__init__.pyi").read_text()
    assert set(public_modules()) == {
        "aucmax",
        *(f"aucmax.{name}" for name in re.findall(r"from \. import (\w+)", stub)),
    }


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.path)
def test_public_names_have_a_plain_first_line(entry):
    first = entry.docstring.splitlines()[0] if entry.docstring else ""
    assert first == entry.summary, "the first line is a whole sentence, with an empty line below"
    assert re.fullmatch(r"[`A-Z].{10,115}\.(``)?", first)
    assert not re.search(r":\w+:`|\|", first), "no roles in the first line"


@pytest.mark.parametrize(
    "entry", [each for each in ENTRIES if isinstance(each.value, type)], ids=lambda entry: entry.path
)
def test_public_methods_are_documented(entry):
    for name in own_members(entry.value):
        assert getattr(entry.value, name).__doc__, f"{entry.path}.{name} has no docstring"


def test_every_public_name_has_a_page():
    pages = make_pages()
    for entry in ENTRIES:
        assert re.search(rf"\.\. (autoclass|autofunction|py:data):: {entry.name}\n", pages[entry.path])
        assert f"<{entry.path}>`" in pages["index"]
        assert f"   {entry.path}\n" in pages[entry.module]
    assert set(aucmax.__all__) == {entry.name for entry in ENTRIES if entry.module == "aucmax"}
    assert "Estimators for most users" in pages["index"]


def test_pages_of_removed_names_are_deleted(tmp_path):
    (tmp_path / "aucmax.gone.rst").write_text("old")
    write_pages(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.rst")} == set(make_pages())


def test_names_in_guides_link_where_they_are_clear():
    targets = link_targets()
    assert targets["AUCClassifierCV"] == "aucmax.AUCClassifierCV"
    assert targets["metrics.auc"] == "aucmax.metrics.auc"
    assert targets["to_onnx"] == "aucmax.io.to_onnx"
    assert not {"auc", "top", "read"} & set(targets)


@pytest.mark.parametrize("page", [*GUIDES, *ROOT.glob("*.md")], ids=lambda page: page.name)
def test_links_between_files_lead_somewhere(page):
    for link in relative_links(page):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page.name}: {link} does not exist"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), (
                f"{page.name}: {link} has no such heading"
            )


@pytest.mark.parametrize("page", [*GUIDES, *ROOT.glob("*.md")], ids=lambda page: page.name)
def test_files_and_tests_that_are_named_exist(page):
    for path, test in _FILE.findall(page.read_text(encoding="utf-8")):
        if "NAME" in path:  # stands for any name
            continue
        assert (ROOT / path).is_file(), f"{page.name} names {path}, which does not exist"
        if test:
            assert f"def {test}" in (ROOT / path).read_text(), (
                f"{path} has no {test}, which {page.name} names"
            )


def test_every_guide_is_in_the_navigation():
    listed = [
        line for page in GUIDES for block in _TOCTREE.findall(page.read_text()) for line in block.splitlines()
    ]
    pages = {re.sub(r".*<(.*)>", r"\1", line).strip() for line in listed if line and not line.startswith(":")}
    assert pages == {page.stem for page in GUIDES} - {"index"} | {"auto_examples/index", "api/index"}


def test_dead_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="one">A</h1><a href="b.html#two">b</a><a href="https://example.org">out</a>'
    )
    (tmp_path / "b.html").write_text('<h1 id="two">B</h1><a href="a.html#one">a</a><a href="#two">here</a>')
    assert find_problems(tmp_path) == []
    (tmp_path / "c.html").write_text(
        '<a href="missing.html">x</a><a href="a.html#three">x</a><img src="no.png">'
        '<script src="https://example.org/x.js"></script>'
    )
    (tmp_path / "d.css").write_text("@font-face { src: url(https://example.org/font.woff) }")
    assert find_problems(tmp_path) == [
        "c.html: a.html#three has no such anchor",
        "c.html: loads https://example.org/x.js from another server",
        "c.html: missing.html is not in the site",
        "c.html: no.png is not in the site",
        "d.css: loads https://example.org/font.woff from another server",
    ]
