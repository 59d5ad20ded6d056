"""Plots draw on the given axes, label them, and do not use pyplot."""

import sys

import numpy as np
import pytest
from sklearn.metrics import auc as area

from aucmax import plot
from aucmax.metrics import auc, partial_auc_interval, top
from aucmax.metrics.wilson import wilson_interval
from aucmax.plot.roc_curve import MAX_CORNERS

to_hex = pytest.importorskip("matplotlib.colors").to_hex
Figure = pytest.importorskip("matplotlib.figure").Figure

RNG = np.random.default_rng(0)
Y = RNG.random(500) < 0.2
SCORE = RNG.normal(size=500) + 1.5 * Y
RECORDS = [
    {
        "method": m,
        "seed": seed,
        "seconds": k * 0.1,
        "passes": k,
        "rows": 10 * k,
        "auc": 0.9 - 0.1 / k,
        "gap": 0.5**k * seed,
    }
    for m in ("SPAM", "SOLAM")
    for seed in range(3)
    for k in (3, 1, 2)
]
PLOTS = {
    "roc": lambda ax=None: plot.roc(Y, SCORE, ax=ax),
    "part of roc": lambda ax=None: plot.roc(Y, SCORE, ax=ax, max_fpr=0.1),
    "top": lambda ax=None: plot.top(Y, SCORE, ax=ax),
    "scores": lambda ax=None: plot.scores(Y, SCORE, ax=ax),
    "calibration": lambda ax=None: plot.calibration(Y, 1 / (1 + np.exp(1 - SCORE)), ax=ax),
    "convergence": lambda ax=None: plot.convergence(RECORDS, ax=ax),
}


@pytest.mark.parametrize("name", PLOTS)
def test_plots_use_the_given_axes_or_new_ones_and_not_pyplot(name):
    pyplot = sys.modules.get("matplotlib.pyplot")
    before = pyplot.get_fignums() if pyplot else []
    ax = Figure().add_subplot()
    assert PLOTS[name](ax) is ax
    new = PLOTS[name]()
    assert new is not ax
    new.figure.draw_without_rendering()
    assert new.figure.dpi == 150
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert (pyplot.get_fignums() if pyplot else []) == before
    assert new.get_xlabel()
    assert new.get_ylabel()


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_roc_shows_the_curve_its_auc_and_a_band_around_it():
    ax = plot.roc(Y, SCORE)
    curve = ax.lines[-1].get_xydata()
    assert area(*curve.T) == pytest.approx(auc(Y, SCORE), abs=1e-12)
    assert any(f"AUC {auc(Y, SCORE):.3f} [" in text for text in legend(ax))
    (band,) = ax.patches
    inner = curve[((curve > 0) & (curve < 1)).all(axis=1)]
    assert band.get_path().contains_points(inner).all()
    assert not plot.roc(Y, SCORE, band=False).patches


def test_roc_up_to_a_false_positive_rate():
    ax = plot.roc(Y, SCORE, max_fpr=0.1, label="model")
    found = partial_auc_interval(Y, SCORE, 0.1, standardized=True)
    ends = f"[{found.low:.3f}, {found.high:.3f}]"
    assert legend(ax) == [f"model: AUC to 0.1: {found.auc:.3f} {ends}"]
    assert ax.get_xlim() == pytest.approx((-0.001, 0.101))
    curve = ax.lines[-1].get_xydata()
    assert curve[-1, 0] >= 0.1 > curve[-2, 0]
    assert ax.get_title() == f"500 rows, {Y.sum()} positive ({Y.mean() * 100:.3g} %)"


def test_two_models_share_axes():
    ax = plot.roc(Y, SCORE, label="a", band=False)
    plot.roc(Y, -SCORE, ax=ax, label="b", color="black", band=False)
    assert [text.partition(":")[0] for text in legend(ax)] == ["a", "b"]
    assert len(ax.lines) == 3  # one line of chance
    ax = plot.top(Y, SCORE, label="a", color="red")
    plot.top(Y, -SCORE, ax=ax, label="b", color="black")
    assert legend(ax) == ["a: recall", "a: precision", "b: recall", "b: precision"]


@pytest.mark.parametrize("draw", [plot.roc, plot.top, plot.scores, plot.calibration])
def test_models_with_a_name_have_a_colour_each(draw):
    scores = {name: 1 / (1 + np.exp(-SCORE * sign)) for name, sign in (("a", 1), ("b", -1), ("c", 0.1))}
    ax = None
    for name, score in scores.items():
        ax = draw(Y, score, ax, label=name)
    draw(Y, 1 - scores["a"], ax, label="d", color="#123456")
    colors: dict[str, set] = {}
    for handle, text in zip(*ax.get_legend_handles_labels(), strict=True):
        color = handle.get_color() if hasattr(handle, "get_color") else handle.get_edgecolor()
        colors.setdefault(text.partition(":")[0], set()).add(to_hex(color))
    assert [len(each) for each in colors.values()] == [1, 1, 1, 1]
    assert len(set.union(*colors.values())) == 4
    assert colors["d"] == {"#123456"}


def test_the_title_is_that_of_the_rows_unless_there_is_another():
    ax = plot.roc(Y, SCORE)
    own = ax.get_title()
    assert plot.top(Y, SCORE).get_title() == plot.scores(Y, SCORE).get_title() == own
    assert plot.roc(Y, -SCORE, ax).get_title() == own
    for _ in range(2):  # other rows: neither number would be true of both models
        assert plot.roc(Y[:-1], SCORE[:-1], ax).get_title() == ""
    ax.set_title("fraud")
    assert plot.roc(Y, SCORE, ax).get_title() == "fraud"


@pytest.mark.parametrize("threshold", [-9, 0.5, SCORE[Y][3], 9])
def test_roc_marks_the_operating_point(threshold):
    ax = plot.roc(Y, SCORE, threshold=threshold)
    (fpr, tpr) = ax.lines[-1].get_xydata()[0]
    alerted = threshold <= SCORE
    assert (fpr, tpr) == (np.mean(alerted[~Y]), np.mean(alerted[Y]))
    assert [fpr, tpr] in ax.lines[-2].get_xydata().tolist()
    text = f"score ≥ {threshold:.3g}: TPR {tpr:.3f}, FPR {fpr:.3f}"
    if threshold < 9:
        text += f",\nprecision {Y[alerted].mean():.3f}"
    assert legend(ax)[-1] == text


def test_top_and_scores_mark_the_threshold():
    ax = plot.top(Y, SCORE, threshold=1.0)
    share = np.mean(SCORE >= 1.0)
    assert (ax.lines[2].get_xdata()[0], legend(ax)[-1]) == (share, f"score ≥ 1: {100 * share:.3g} %")
    ax = plot.scores(Y, SCORE, threshold=1.0, label="model")
    assert (ax.lines[0].get_xdata()[0], legend(ax)[-1]) == (1.0, "model: threshold 1")


def test_top_draws_recall_and_precision_with_their_intervals():
    ax = plot.top(Y, SCORE)
    assert (legend(ax), ax.get_xscale()) == (["recall", "precision"], "log")
    for line, name in zip(ax.lines, ("recall", "precision"), strict=False):
        shares, values = line.get_data()
        for share, value in list(zip(shares, values, strict=True))[:-1:50]:
            assert value == getattr(top(Y, SCORE, share)[0], name).value
        assert values[-1] == pytest.approx(1.0 if name == "recall" else Y.mean())
    assert len(ax.collections) == 2
    assert not plot.top(Y, SCORE, band=False).collections


def test_roc_band_covers_the_true_points():
    rng = np.random.default_rng(1)
    covered = []
    for _ in range(200):
        ends = [
            wilson_interval(np.array([rng.binomial(n, p) / n]), n, 0.95**0.5)
            for n, p in ((200, 0.1), (50, 0.7))
        ]
        covered.append(all(low <= p <= high for (low, high), p in zip(ends, (0.1, 0.7), strict=True)))
    assert 0.9 < np.mean(covered) < 0.99


def test_long_curves_are_thinned():
    rng = np.random.default_rng(2)
    y = rng.random(50_000) < 0.3
    score = rng.normal(size=y.size) + y
    curve = plot.roc(y, score).lines[-1].get_xydata()
    assert len(curve) <= MAX_CORNERS
    assert area(*curve.T) == pytest.approx(auc(y, score), abs=1e-4)
    assert (curve[0].tolist(), curve[-1].tolist()) == ([0, 0], [1, 1])


@pytest.mark.parametrize("score", [SCORE, np.zeros(500), np.where(np.arange(500) == 3, 1e12, SCORE)])
def test_histograms_have_area_one_and_name_the_classes(score):
    ax = plot.scores(np.where(Y, "spam", "ham"), score)
    assert legend(ax) == [f"spam ({Y.sum()} rows)", f"ham ({(~Y).sum()} rows)"]
    for stairs in ax.patches:
        heights, edges, _ = stairs.get_data()
        assert heights @ np.diff(edges) == pytest.approx(1.0)
    assert np.ptp(ax.get_xlim()) < 1e3


@pytest.mark.parametrize("x", ["seconds", "rows", "passes"])
@pytest.mark.parametrize("y", ["auc", "gap"])
def test_convergence_draws_one_line_for_each_method(x, y):
    ax = plot.convergence(RECORDS, x=x, y=y)
    assert legend(ax) == ["SPAM", "SOLAM"]
    assert ax.get_yscale() == ("log" if y == "gap" else "linear")
    for line in ax.lines:
        assert (np.diff(line.get_xdata()) > 0).all()
        assert np.isfinite(line.get_ydata()).all()


def test_convergence_takes_a_data_frame():
    pandas = pytest.importorskip("pandas")
    assert len(plot.convergence(pandas.DataFrame(RECORDS)).lines) == 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: plot.convergence(RECORDS, x="hours"),
            "x must be 'seconds' or 'rows' or 'passes'; got 'hours'",
        ),
        (lambda: plot.convergence(RECORDS, y="loss"), "y must be 'auc' or 'gap'; got 'loss'"),
        (lambda: plot.convergence([{"auc": 1.0}]), "record 0 has no 'seconds'"),
        (lambda: plot.convergence([]), "records is empty"),
        (lambda: plot.roc(Y, SCORE, level=95), "level must be a number between 0 and 1; got 95"),
        (lambda: plot.scores(Y, SCORE[:-1]), "y has 500 rows"),
        (lambda: plot.roc(Y, SCORE, threshold=np.nan), "threshold must be a finite number; got nan"),
        (lambda: plot.top(Y, SCORE, threshold="low"), "threshold must be a finite number; got 'low'"),
        (lambda: plot.scores(Y, SCORE, threshold=np.inf), "threshold must be a finite number; got inf"),
        (lambda: plot.top(Y, SCORE[:-1]), "y has 500 rows"),
        (lambda: plot.top(Y, SCORE, level=0), "level must be a number between 0 and 1; got 0"),
        (
            lambda: plot.roc(Y, SCORE, max_fpr=2),
            "a number above 0 and at most 1; got 2",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_missing_matplotlib_is_explained(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"aucmax.plot needs the package matplotlib; run: pip install"):
        plot.roc(Y, SCORE)
