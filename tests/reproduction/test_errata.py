"""What docs/errata.md says is wrong in the papers, and what it says is right."""

import re
from math import comb
from pathlib import Path

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from aucmax.pairs.bernstein import nodes
from aucmax.pairs.losses import LOSSES
from aucmax.reproduction.page.comparison import PUBLISHED
from aucmax.stochastic.sauc.convexity import log_gamma0
from aucmax.stochastic.spdam.estimator import theorem_steps
from oracles.pairs import pairs

ROOT = Path(__file__).parents[2]
LAM = 0.1


@pytest.fixture
def sample(problem):
    """Unit rows with their class means, the fraction of positives, and the mean difference m- - m+."""
    X, y, _ = problem
    X = normalize(X[np.abs(X).sum(1) > 0])
    y = y[np.abs(problem[0]).sum(1) > 0]
    pos, neg = X[y > 0].mean(0), X[y < 0].mean(0)
    return X, y, np.mean(y > 0), neg - pos


def pair_optimum(X, y, lam):
    """Minimiser of (4), the mean of (1 - w.(x - x'))^2 over pairs plus lam/2 |w|^2."""
    d, _ = pairs(X, y)
    return np.linalg.solve(2 * d.T @ d / len(d) + lam * np.eye(X.shape[1]), 2 * d.mean(0))


def saddle_terms(X, y, p, w, a, b, alpha):
    """SOLAM's F, without a penalty, for every row."""
    s, positive = X @ w, y > 0
    squares = np.where(positive, (1 - p) * (s - a) ** 2, p * (s - b) ** 2)
    linear = np.where(positive, -(1 - p) * s, p * s)
    return squares + 2 * (1 + alpha) * linear - p * (1 - p) * alpha**2


def saddle_value(X, y, p, w):
    """E F at its minimum over a and b and its maximum over alpha."""
    a, b = (X[y > 0] @ w).mean(), (X[y < 0] @ w).mean()
    return saddle_terms(X, y, p, w, a, b, b - a).mean()


def test_the_saddle_value_carries_a_factor(sample):
    X, y, p, _ = sample
    w = pair_optimum(X, y, LAM)
    d, _ = pairs(X, y)
    loss = np.mean((1 - d @ w) ** 2)
    assert saddle_value(X, y, p, w) == pytest.approx(p * (1 - p) * (loss - 1), rel=1e-10)
    assert saddle_value(X, y, p, w) != pytest.approx(loss - 1, rel=0.1)


def test_a_ball_and_a_penalty_are_equivalent_for_one_radius_only(sample):
    X, y, _, _ = sample
    w = pair_optimum(X, y, LAM)
    d, _ = pairs(X, y)

    def gradient(v):
        return 2 * d.T @ (d @ v - 1) / len(d)

    def is_optimal_on_its_sphere(v):
        return gradient(v) @ v < 0 and np.linalg.norm(gradient(v) + LAM * v) < 1e-10

    assert is_optimal_on_its_sphere(w)
    assert not is_optimal_on_its_sphere(0.5 * w)


def test_the_regularised_saddle_problem_has_another_penalty(sample):
    """(7) with lam/2 |w|^2 inside F is (4) with lam / (p(1-p))."""
    X, y, p, _ = sample

    def excess(w):
        return saddle_value(X, y, p, w) + 0.5 * LAM * w @ w

    rng = np.random.default_rng(0)
    right, printed = pair_optimum(X, y, LAM / (p * (1 - p))), pair_optimum(X, y, LAM)
    nearby = [right + 1e-3 * rng.normal(size=len(right)) for _ in range(100)]
    assert excess(right) < min(map(excess, nearby))
    assert excess(right) < excess(printed) - 1e-4


def spdam_optimum(quadratic, b, lam):
    """Minimiser of w'Qw/2 + (b.w)^2/2 + b.w + lam/2 |w|^2."""
    return np.linalg.solve(quadratic + np.outer(b, b) + lam * np.eye(len(b)), -b)


def distance_to_path(w, X, y):
    """Smallest distance of w to (4)'s minimisers over all penalties, relative to w."""
    optima = (pair_optimum(X, y, lam) for lam in np.geomspace(1e-8, 1e4, 121))
    return min(np.linalg.norm(w - v) / np.linalg.norm(w) for v in optima)


def test_the_primal_dual_problem_as_printed_is_not_the_pair_loss(sample):
    """(12) and (13): the maximum over beta of s.beta/n - |beta|^2/2 is |s|^2/(2 n^2)."""
    X, y, p, b = sample
    n = len(y)
    means = np.where((y > 0)[:, None], X[y > 0].mean(0), X[y < 0].mean(0))
    share = np.where(y > 0, p, 1 - p)[:, None]
    z, printed = (X - means) / np.sqrt(share), (X - means) / np.sqrt(2 * share)
    np.testing.assert_allclose(
        spdam_optimum(z.T @ z / n, b, LAM), pair_optimum(X, y, 2 * LAM), rtol=1e-9, atol=1e-12
    )
    assert distance_to_path(spdam_optimum(z.T @ z / n, b, LAM), X, y) < 0.05  # by the grid of penalties
    assert distance_to_path(spdam_optimum(printed.T @ printed / n**2, b, LAM), X, y) > 0.1
    averaged = spdam_optimum(printed.T @ printed / n, b, LAM)
    assert np.linalg.norm(averaged - pair_optimum(X, y, 2 * LAM)) > 0.05 * np.linalg.norm(averaged)


def test_the_box_with_raw_rows_has_another_fixed_point(sample):
    X, y, _, b = sample
    raw = spdam_optimum(X.T @ X / len(y), b, LAM)
    assert np.linalg.norm(raw - pair_optimum(X, y, 2 * LAM)) > 0.02 * np.linalg.norm(raw)


def test_the_printed_sigma_violates_the_proof():
    """Condition (23): the dual variables contract by theta as the weights do."""
    lam, n, m, kappa2 = 1e-3, 1000.0, 10.0, 1.3

    def gap(sigma):
        theta = 1 - lam / (lam + 2 * sigma * kappa2)
        return (1 / (2 * sigma) + (n - m) / n) / (theta * (1 / (2 * sigma) + 1)) - 1

    root = np.sqrt((n - m) ** 2 + 4 * n * kappa2 * m / lam)
    assert gap(theorem_steps(kappa2, lam, n, m)[0]) == pytest.approx(0.0, abs=1e-12)
    assert gap(lam * (n - m + root) / (4 * m * kappa2)) == pytest.approx(0.0, abs=1e-12)
    assert abs(gap((n - m + root) / (8 * m * kappa2))) > 1e-3


def test_the_proximal_map_is_that_of_half_the_penalty():
    """VRSPAM's w / (1 + eta beta) minimises (v - w)^2/2 + eta beta/2 v^2, not with beta v^2."""
    w, eta, beta = 1.3, 0.4, 0.7
    v = np.linspace(-2, 2, 400_001)
    for factor, expected in ((0.5, w / (1 + eta * beta)), (1.0, w / (1 + 2 * eta * beta))):
        found = v[np.argmin((v - w) ** 2 / 2 + eta * factor * beta * v**2)]
        assert found == pytest.approx(expected, abs=1e-5)


def test_the_reduced_gradient_estimates_the_gradient_at_the_iterate(sample):
    """Lemma 6 says E v_t is the gradient at w*."""
    X, y, p, _ = sample
    rng = np.random.default_rng(0)
    w, anchor, best = rng.normal(size=(3, X.shape[1]))

    def row_gradients(v):
        s, pos, neg = X @ v, (X[y > 0] @ v).mean(), (X[y < 0] @ v).mean()
        g = np.where(y > 0, 2 * (1 - p) * (s - 1 - neg), 2 * p * (s + 1 - pos))
        return g[:, None] * X

    v_t = row_gradients(w) - row_gradients(anchor) + row_gradients(anchor).mean(0)
    np.testing.assert_allclose(v_t.mean(0), row_gradients(w).mean(0), atol=1e-12)
    assert np.abs(v_t.mean(0) - row_gradients(best).mean(0)).max() > 0.01


def test_usps_and_letter_are_swapped():
    """OPAUC's column is Gao et al.'s in both papers; the table here has the rows put right."""
    assert PUBLISHED["vrspam-table1"]["usps"]["OPAUC"] == PUBLISHED["solam-table3"]["usps"]["OPAUC"]
    spreads = [PUBLISHED["vrspam-table1"]["letter"][method][1] for method in ("SPAM-L2", "SPAM-NET")]
    german = [PUBLISHED["vrspam-table1"]["german"][method][1] for method in ("SPAM-L2", "SPAM-NET")]
    assert spreads == german


def test_the_dashes_are_on_news20_and_sector():
    """SAUC's caption says that OPAUC does not converge there; as printed the dashes are one line lower."""
    rows = PUBLISHED["sauc-table2"]
    assert [data for data, row in rows.items() if row["OPAUC"] is None] == ["news20", "sector"]


def monomial_value(loss, m, length, s_pos, s_neg):
    """SAUC's (2.6) for one pair, in its printed basis."""
    values = loss(nodes(m, length))
    differences = [sum((-1) ** (k - j) * comb(k, j) * values[j] for j in range(k + 1)) for k in range(m + 1)]
    return sum(
        (length / 2 + s_pos) ** i
        * sum(
            comb(m, k) * comb(k, i) * differences[k] / (2 * length) ** k * (length / 2 - s_neg) ** (k - i)
            for k in range(i, m + 1)
        )
        for i in range(m + 1)
    )


@pytest.mark.parametrize(("m", "low", "high"), [(10, 0.0, 1e-9), (40, 1e-3, np.inf)])
def test_the_printed_basis_loses_all_digits_at_degree_40(m, low, high):
    loss, length = LOSSES["hinge"].value, 2.0
    errors = []
    for s_pos, s_neg in np.random.default_rng(0).uniform(-1.0, 1.0, size=(50, 2)):
        u = (length + s_pos - s_neg) / (2 * length)
        basis = [comb(m, k) * u**k * (1 - u) ** (m - k) for k in range(m + 1)]
        errors.append(abs(monomial_value(loss, m, length, s_pos, s_neg) - basis @ loss(nodes(m, length))))
    assert low <= max(errors) <= high


def test_gamma0_makes_the_printed_steps_diverge():
    """The explicit step has the factor 1 - eta gamma0, with eta = beta / sqrt(t) and beta of 0.01 to 100."""
    for radius in (1.0, 10.0, 100.0):
        assert log_gamma0(LOSSES["hinge"].value, 10, 2 * radius) > np.log(1e7)


def test_alpha_is_the_negatives_minus_the_positives(sample):
    """FSAUC's line 8 has the opposite sign."""
    X, y, p, b = sample
    w = np.random.default_rng(0).normal(size=X.shape[1])
    alphas = np.linspace(-5, 5, 100_001)
    s = X @ w
    linear = np.mean(np.where(y > 0, -(1 - p) * s, p * s))
    best = alphas[np.argmax(2 * (1 + alphas) * linear - p * (1 - p) * alphas**2)]
    assert best == pytest.approx(w @ b, abs=1e-4)
    assert best != pytest.approx(-w @ b, abs=0.1)


def test_every_erratum_names_a_test_that_exists():
    text = (ROOT / "docs" / "errata.md").read_text()
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text)
    assert len(named) >= 12
    for path, name in named:
        assert f"def {name}(" in (ROOT / path).read_text(), (path, name)
    here = Path(__file__).read_text()
    own = set(re.findall(r"^def (test_\w+)", here, flags=re.MULTILINE)) - {
        "test_every_erratum_names_a_test_that_exists"
    }
    assert own <= {name for _, name in named}
