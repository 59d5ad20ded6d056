"""The page: what it tells, that data cannot break it, and that a real browser shows it without trouble."""

import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest

from aucmax import AUCClassifierCV
from aucmax.io import save_model
from aucmax.io.columns.curves import Curve
from aucmax.io.storage.models import load_scorer
from aucmax.metrics import auc_interval, operating_point
from aucmax.report.contents import EvaluatedRows, Report, compare, find_warnings
from aucmax.report.effects import ColumnCurve, Effect, find_effects
from aucmax.report.page import make_page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NASTY = (
    "<script>alert('x')</script> & \"a very long name of a column without any room for a line break\""
    + 60 * "x"
)
# Cells of numbers and headers whose text is on more than one line; the first column has names.
BROKEN_CELLS = """[...document.querySelectorAll('th + th, td + td:not(.bar)')].filter(cell => {
    const range = document.createRange();
    range.selectNodeContents(cell);
    return new Set([...range.getClientRects()].map(each => Math.round(each.top))).size > 1;
}).map(cell => cell.textContent)"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 30))
    y = np.where(X[:, 0] + X[:, 1] + 2 * rng.normal(size=900) > 2, "ill & <b>", "healthy")
    model = AUCClassifierCV(cv=5).fit(X, y)
    model.feature_names_in_ = np.array([NASTY, *(f"column {k}" for k in range(29))], dtype=object)
    path = tmp_path_factory.mktemp("model") / "m.auc"
    facts = {"rows": 900, "positives": int((y == "ill & <b>").sum()), "data": "rows.csv"}
    save_model(model, path, facts | {"loss": "squared_hinge", "l2": model.l2_, "warnings": [NASTY]})
    scorer = load_scorer(path)
    fresh = rng.normal(size=(600, 30))
    positive = fresh[:, 0] + fresh[:, 1] + 2 * rng.normal(size=600) > 2
    score = fresh @ scorer.coef + scorer.intercept
    rows = EvaluatedRows(positive, score, "600 rows", fresh[:, 0], fresh.mean(axis=0))
    return Report(
        title=f"A {NASTY} title",
        scorer=scorer,
        rows=rows,
        comparison=compare(rows, scorer.summary, False),
        point=operating_point(positive, score, recall=0.8),
        goal="recall=0.8",
        effects=find_effects(scorer),
        warnings=find_warnings(scorer, rows, learnt=True),
    )


@pytest.fixture(scope="module")
def page(report):
    return make_page(report)


class Text(HTMLParser):
    """The text of a page, its tags, and all addresses in it."""

    def __init__(self, page):
        super().__init__()
        self.texts, self.tags, self.addresses = [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.addresses += [
            value for name, value in attributes if name in ("src", "href", "xlink:href", "data")
        ]

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_tells_auc_beside_logistic_regression(report, page):
    found = auc_interval(report.rows.positive, report.rows.score)
    other = auc_interval(report.rows.positive, report.rows.baseline_score)
    texts = Text(page).texts
    assert f"{found.auc:.3f}" in texts
    assert f"95 % interval {found.low:.3f} – {found.high:.3f}" in texts
    assert f"{other.auc:.3f}" in texts
    assert f"{found.auc - other.auc:+.4f}" in texts
    assert "in use: recall=0.8" in texts
    assert "recall of at least 95 %" in texts
    assert f"intercept {report.scorer.intercept:+.6g}" in texts
    assert page.count("<svg") == 4
    assert "<h2>Curves</h2>" not in page


def test_curves_are_drawn(report):
    x = np.linspace(18, 70, 30)
    wave = ColumnCurve(NASTY, Curve(x, np.sin(x)), [], 0.7)
    flat = ColumnCurve("flat", Curve(x, np.zeros(30)), [], 0.0)
    bent = Effect("flat (curve)", np.nan, None, None, None, 0.7)
    page = make_page(report._replace(curves=[wave, flat], effects=[bent, *report.effects]))
    assert page.count("<svg") == 6
    assert "±0.7" in Text(page).texts
    assert page.count('class="both"') == 1
    assert "<h2>Curves</h2>" in page
    assert "<script" not in page


def test_data_cannot_break_the_page(page):
    found = Text(page)
    assert not {"script", "iframe", "img"} & set(found.tags)
    assert "<script" not in page
    assert NASTY in found.texts
    assert any("ill & <b> (" in text for text in found.texts)


def test_the_page_stands_alone(page):
    assert all(each.startswith(("#", "data:")) for each in Text(page).addresses)
    assert not re.search(r"@import|url\((?!#)", page)
    assert not re.findall(r'https?://(?!www\.w3\.org/(?:2000/svg|1999/xlink)")', page)


def test_identifiers_are_not_repeated(page):
    identifiers = [found for found in re.findall(r'\bid="([^"]+)"', page) if not re.match(r"\w+_\d+$", found)]
    clips = [found for found in identifiers if re.match(r"p[0-9a-f]{8,}|m[0-9a-f]{8,}", found)]
    assert len(clips) == len(set(clips)) > 0


def test_equal_reports_give_equal_pages(report, page):
    assert make_page(report) == page


@pytest.mark.skipif(BROWSER is None, reason="no chromium, chromium-browser or google-chrome is installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 820, 360])
def test_a_browser_shows_the_page(page, tmp_path, width, scheme):
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    (tmp_path / "page.html").write_text(page)
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        requests, complaints = [], []
        view.on("request", lambda request: requests.append(request.url))
        view.on("console", lambda message: complaints.append(message.text))
        view.on("pageerror", lambda error: complaints.append(str(error)))
        view.goto((tmp_path / "page.html").as_uri())
        assert view.evaluate("document.documentElement.scrollWidth") <= width
        broken = view.evaluate(BROKEN_CELLS)
        assert broken == []
        widths = "[...document.querySelectorAll('svg')].map(each => each.getBoundingClientRect().width)"
        pictures = view.evaluate(widths)
        assert len(pictures) == 4
        assert min(pictures) > 0.5 * min(width, 500)
        ink, paper = view.evaluate(
            "[getComputedStyle(document.querySelector('svg text')).fill, "
            "getComputedStyle(document.body).backgroundColor]"
        )
        lightness = [sum(map(int, re.findall(r"\d+", each)[:3])) / 765 for each in (ink, paper)]
        assert (lightness[0] < lightness[1]) == (scheme == "light")
        assert abs(lightness[0] - lightness[1]) > 0.5
        pdf = view.pdf(format="A4")
        browser.close()
    assert requests == [(tmp_path / "page.html").as_uri()]
    assert complaints == []
    assert pdf.startswith(b"%PDF")
