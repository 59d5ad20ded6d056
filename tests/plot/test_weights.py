"""The picture of the largest weights."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import SOLAM, AUCClassifier, plot

pytest.importorskip("matplotlib")
pandas = pytest.importorskip("pandas")

RNG = np.random.default_rng(0)
UNITS = np.array([1000.0, 1.0, 0.01, 1.0])
X = RNG.normal(size=(300, 4)) * UNITS
y = np.where(X / UNITS @ [3.0, -2.0, 1.0, 0.2] + RNG.normal(size=300) > 1.0, "ill", "healthy")
FRAME = pandas.DataFrame(X, columns=["age", "dose", "weight", "noise with " + 60 * "x"])


def bars(ax):
    """Length, colour and name of each bar, from the largest down."""
    names = {k: text.get_text() for k, text in zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)}
    found = {round(bar.get_y() + bar.get_height() / 2): bar for bar in ax.patches}
    return [(found[k].get_width(), found[k].get_facecolor(), names[k]) for k in sorted(found, reverse=True)]


def test_weights_times_spread_from_the_model_or_from_rows():
    model = AUCClassifier().fit(FRAME, y)
    ax = plot.coefficients(model, top=3)
    widths, colors, names = zip(*bars(ax), strict=True)
    expected = model.coef_[0] * model.feature_scale_
    np.testing.assert_allclose(widths, expected[:3])
    assert names == ("age", "dose", "weight")
    assert colors[0] == colors[2] != colors[1]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["towards ill", "towards healthy"]
    assert ax.get_legend().get_title().get_text() == "the 3 largest of 4 weights"
    for rows in (FRAME, X, sparse.csr_array(X)):
        widths = [bar[0] for bar in bars(plot.coefficients(model, rows))]
        np.testing.assert_allclose(widths, model.coef_[0] * X.std(axis=0), rtol=1e-10)
    assert len(bars(plot.coefficients(model))[-1][2]) == 40


def test_pipelines_and_other_models_take_rows():
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(FRAME, y)
    widths, _, names = zip(*bars(plot.coefficients(model, FRAME)), strict=True)
    np.testing.assert_allclose(widths, model[-1].coef_[0])
    assert names[0] == "age"
    assert bars(plot.coefficients(model[-1], model[0].transform(FRAME)))[1][2] == "column 1"
    model = make_pipeline(StandardScaler(), AUCClassifier()).fit(X, y)
    assert bars(plot.coefficients(model))[0][2] == "x0"


def test_weights_of_zero_are_left_out():
    ax = plot.coefficients(AUCClassifier(l1=0.3).fit(FRAME, y))
    assert 0 < len(bars(ax)) < 4
    assert all(width for width, *_ in bars(ax))


def test_bad_input_is_named():
    model = SOLAM(random_state=0).fit(X / UNITS, y)
    with pytest.raises(ValueError, match="SOLAM does not know the spread of its columns; give X too"):
        plot.coefficients(model)
    with pytest.raises(ValueError, match="top must be a whole number of at least 1; got 0"):
        plot.coefficients(model, X, top=0)
    with pytest.raises(ValueError, match="give X with 4 columns"):
        plot.coefficients(model, X[:, :3])
    three = LogisticRegression().fit(X / UNITS, RNG.integers(3, size=300))
    with pytest.raises(ValueError, match="give a model of two classes"):
        plot.coefficients(three, X)
