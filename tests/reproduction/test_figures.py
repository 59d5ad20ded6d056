"""Figures: their quick runs, going on after a stop, the fitted rates, the drawings and the words."""

import json
import pickle
from xml.etree import ElementTree

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from aucmax import SPDAM
from aucmax.pairs.losses import pair_value
from aucmax.reproduction.draw import STYLES, draw
from aucmax.reproduction.figures import FIGURES
from aucmax.reproduction.means import curve, first_within
from aucmax.reproduction.optimum import GOALS, Bernstein
from aucmax.reproduction.problems import Problem
from aucmax.reproduction.rates import LAWS, Law, fit_law
from aucmax.reproduction.summaries import summary

BY_NAME = {figure.name: figure for figure in FIGURES}
QUICK = {"quick": True, "seed": 0}


@pytest.fixture(scope="module")
def generated():
    """As many rows as the quick runs' data set has."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(768, 8))
    y = (X @ rng.normal(size=8) + 2.0 * rng.normal(size=768) > 1.0).astype(np.int8)
    return normalize(X), y


@pytest.fixture
def at_hand(monkeypatch, generated):
    """Every problem has the generated rows."""
    monkeypatch.setattr(Problem, "load", lambda problem, seed: generated)


def run(figure, done=()):
    """The records of a quick run, in this process."""
    records = []
    for job in figure.jobs(True):
        kept = [record for record in done if (record["data"], record["method"]) == (job.data, job.method)]
        found = list(figure.work(job, kept, True, 0))
        assert len(kept) + len(found) == job.steps
        records += [{**QUICK, "data": job.data, "method": job.method, **record} for record in found]
    return records


def timeless(records):
    return [{key: value for key, value in record.items() if key != "seconds"} for record in records]


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.name)
def test_quick_run(figure, real, tmp_path):
    records = run(pickle.loads(pickle.dumps(figure)))
    assert all(type(value) in (str, int, float, bool) for record in records for value in record.values())
    assert all(0.6 < record["auc"] < 0.9 for record in records if record["point"] > 1 and "auc" in record)
    assert json.loads(json.dumps(records)) == records
    (path,) = draw(figure, records, tmp_path)
    assert ElementTree.parse(path).getroot().tag.endswith("svg")
    assert all(line.label in summary(figure, records) for line in getattr(figure, "lines", ())[1:])


@pytest.mark.parametrize("name", ["spdam-figure1", "vrspam-figure1", "sauc-figure2", "optimum", "rates"])
def test_a_run_goes_on_where_it_was(at_hand, name):
    figure = BY_NAME[name]
    whole = run(figure)
    rest = run(figure, done=whole[::2])
    assert timeless(rest) == timeless(whole[1::2])
    assert run(figure, done=whole) == []


def test_more_passes_come_nearer_to_the_optimum(at_hand):
    records = run(BY_NAME["optimum"])
    for method in ("SPDAM", "SPAM", "SOLAM", "OPAUC"):
        found = [record["distance"] for record in records if record["method"] == method]
        assert found[0] > 2 * found[-1] > 0


def test_variance_is_reduced(at_hand):
    records = run(BY_NAME["vrspam-figure1"])
    last = {record["method"]: record["variance"] for record in records if "variance" in record}
    assert last["VRSPAM"] < 0.05 * last["SPAM"]


@pytest.mark.parametrize("method", ["SOLAM", "FSAUC", "SAUC-H"])
def test_goals_on_a_ball_are_its_least(generated, method):
    X, y = generated
    model, best, loss, l2 = GOALS[method](X, y)
    assert l2 == 0.0
    signed, rng = np.where(y == 1, 1.0, -1.0), np.random.default_rng(0)
    norm = (lambda w: np.abs(w).sum()) if method == "FSAUC" else np.linalg.norm
    np.testing.assert_allclose(norm(best), model.radius, rtol=1e-6)
    least = pair_value(loss, X @ best, signed)
    for _ in range(50):
        w = best + 0.1 * rng.normal(size=len(best))
        w *= min(1.0, model.radius / norm(w))
        assert pair_value(loss, X @ w, signed) > least - 1e-9


def test_goals_with_a_penalty_are_where_the_method_ends(generated):
    X, y = generated
    model, best, _, _ = GOALS["SPDAM"](X, y)
    assert isinstance(model, SPDAM)
    np.testing.assert_allclose(model.set_params(random_state=0).fit(X, y).coef_[0], best, rtol=1e-6)


def test_bernstein_polynomial_of_a_square():
    """That of t^2 on [-L, L], of degree m, is t^2 + (L^2 - t^2)/m; the loss is (1 - t)^2."""
    t, loss = np.linspace(-3.0, 3.0, 7), Bernstein("squared", 10, 3.0)
    np.testing.assert_allclose(loss.value(t), (1.0 - t) ** 2 + (9.0 - t**2) / 10.0, atol=1e-12)
    np.testing.assert_allclose(loss.derivative(t), 2.0 * (t - 1.0) - t / 5.0, atol=1e-12)
    np.testing.assert_allclose(loss.second(t), 1.8, atol=1e-12)


def test_fit_recovers_a_power():
    rows, rng = np.geomspace(1e3, 1e6, 9), np.random.default_rng(0)
    values = 7.0 * rows**-0.75 * np.exp(0.05 * rng.normal(size=9))
    values[0] *= 10.0  # the start does not count
    fit = fit_law(Law("gap", "rows", -0.75), rows, values)
    assert abs(fit.slope + 0.75) < 0.02
    assert fit.r2 > 0.99


def test_fit_recovers_a_factor_down_to_rounding():
    passes = np.arange(1.0, 41.0)
    values = np.maximum(0.3 * 0.5**passes, 1e-11)
    fit = fit_law(Law("distance", "passes", None), passes, values)
    np.testing.assert_allclose(10**fit.slope, 0.5, rtol=1e-6)
    np.testing.assert_allclose(fit.r2, 1.0, rtol=1e-9)


def test_fit_of_no_line_says_so():
    passes = np.arange(1.0, 41.0)
    assert fit_law(Law("distance", "passes", None), passes, 1.0 / passes).r2 < 0.9


def points(values, x=(1, 2, 4), **told):
    return [
        {
            **QUICK,
            "data": "diabetes",
            "repeat": 0,
            "point": k,
            "passes": at,
            "rows": at,
            **told,
            "value": value,
        }
        for k, (at, value) in enumerate(zip(x, values, strict=True))
    ]


def test_curve_is_the_mean_and_the_level_of_a_split_is_taken_out():
    records = [
        {"data": "a", "method": "m", "repeat": repeat, "point": point, "passes": point + 1, "auc": auc}
        for repeat, aucs in enumerate([(0.5, 0.7, 0.8), (0.6, 0.8, 0.9)])
        for point, auc in enumerate(aucs)
    ]
    found = curve(records[::-1], "a", "m", "passes", "auc")
    np.testing.assert_allclose(found.x, [1, 2, 3])
    np.testing.assert_allclose(found.y, [0.55, 0.75, 0.85])
    np.testing.assert_allclose(found.low, found.y)
    np.testing.assert_allclose(found.high, found.y)
    assert first_within(found, 0.101) == 2
    assert curve(records, "b", "m", "passes", "auc") is None


def test_rates_are_told_and_drawn(tmp_path):
    records = []
    for method, law in LAWS.items():
        slope = law.slope or -0.3
        x = np.geomspace(1e3, 1e5, 5) if law.slope else np.arange(1.0, 6.0)
        values = x**slope if law.slope else 10 ** (slope * x)
        records += points(values, x, method=method)
    said = summary(BY_NAME["rates"], records)
    assert "| diabetes | SOLAM | duality gap by rows | -0.5 | -0.50 | 1.0000 |" in said
    assert "| diabetes | SPDAM | distance by passes | a straight line | factor 0.50 a pass | 1.0000 |" in said


@pytest.mark.parametrize("name", ["spdam-figure1", "sauc-figure2", "optimum", "rates"])
def test_drawings_depend_on_the_records_alone(at_hand, tmp_path, name):
    records = run(BY_NAME[name])
    (first,) = draw(BY_NAME[name], records, tmp_path / "first")
    (again,) = draw(BY_NAME[name], records[::-1], tmp_path / "again")
    assert first.name == f"{name}.svg"
    assert first.read_bytes() == again.read_bytes()
    tag = "{http://www.w3.org/2000/svg}"
    panels = [g for g in ElementTree.parse(first).iter(f"{tag}g") if g.get("id", "").startswith("axes_")]
    assert len(panels) == len(BY_NAME[name].axes)
    records[-1] = {**records[-1], "auc": 0.7, "distance": 0.123, "value": 0.456}
    (other,) = draw(BY_NAME[name], records, tmp_path / "other")
    assert other.read_bytes() != first.read_bytes()


def test_who_is_first_is_told_in_numbers(at_hand):
    figure = BY_NAME["spdam-figure1"]
    common = {**QUICK, "data": "diabetes", "repeat": 0, "passes": 1, "seconds": 1.0}
    records = [
        {**common, "method": method, "point": point, "iterations": iterations, "auc": auc}
        for method, curve in (("SPDAM, 10 %", [(10, 0.8), (20, 0.81)]), ("regSOLAM", [(30, 0.7), (40, 0.75)]))
        for point, (iterations, auc) in enumerate(curve)
    ]
    said = summary(figure, records)
    assert (
        "Within 0.02 of the best AUC of all, by iterations: diabetes: SPDAM, 10 % (10); never regSOLAM."
        in said
    )
    assert (
        "Within 0.001 of the best AUC of all, by iterations: diabetes: SPDAM, 10 % (20); never regSOLAM."
        in said
    )


def test_every_curve_has_a_style_of_its_own():
    for figure in FIGURES:
        methods = {job.method for job in figure.jobs(False)}
        assert len({STYLES[method] for method in methods}) == len(methods)
