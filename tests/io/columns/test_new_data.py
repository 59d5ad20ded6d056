"""New data against the training rows: empty columns and other units are named, ordinary rows are not."""

import warnings

import numpy as np
import pandas as pd
import pytest

from aucmax.io import TableEncoder
from aucmax.io.columns.encoding import TableEncoding
from aucmax.io.columns.errors import TableWarning


def payments(n_rows, seed=0, year=2024):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "amount": np.exp(rng.normal(4.0, 1.0, n_rows)),  # a long tail
            "weight": rng.normal(70.0, 12.0, n_rows),
            "balance": rng.normal(0.0, 500.0, n_rows),
            "claims": rng.poisson(0.05, n_rows),
            "flag": (rng.random(n_rows) < 0.003).astype(float),  # rare
            "phone": np.where(rng.random(n_rows) < 0.05, np.nan, rng.integers(1, 9, n_rows)),
            "year": float(year),
            "second": 1.7e9 + 3e7 * (year - 2024) + rng.integers(0, 10**6, n_rows),
            "day": pd.Timestamp(year, 1, 1) + pd.to_timedelta(rng.integers(0, 60, n_rows), "D"),
            "city": rng.choice(["Rome", "Oslo"], n_rows),
        }
    )


@pytest.fixture(scope="module")
def encoder():
    return TableEncoder(check_columns=False).fit(payments(3000))


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"amount": np.nan}, r"none of the 500 rows has a value in column 'amount' \(100 % of the training"),
        ({"phone": np.nan}, "none of .* in column 'phone' \\(9.* % of the training rows had one"),
        ({"city": None}, "none of the 500 rows has a value in column 'city'"),
        ({"day": pd.NaT}, "none of the 500 rows has a value in column 'day'"),
        (
            {"amount": 100.0},
            r"far .* column 'amount' \(4.. of 500 values; .* here, .* in training",
        ),
        ({"weight": 0.001}, r"far .* column 'weight' \(500 of 500 values"),
        ({"weight": 0.0}, r"far .* column 'weight' \(500 of 500 values; 0 to 0 here"),
        ({"balance": 1000.0}, r"far .* column 'balance'"),
    ],
)
def test_empty_columns_and_other_units_are_named(encoder, changed, complaint):
    rows = payments(500, seed=1)
    for name, factor in changed.items():
        is_gap = factor is None or factor != factor
        rows[name] = factor if is_gap else rows[name] * factor
    rows["city"] = rows["city"].astype(pd.StringDtype())
    with pytest.warns(TableWarning, match=complaint) as found:
        encoder.transform(rows)
    assert len(found) == 1


def customer():
    """Each column of one customer is constant: a large account, with the rare flag, without a phone."""
    return payments(60, seed=2).assign(amount=400.0, balance=1800.0, flag=1.0, phone=np.nan, city="Oslo")


@pytest.mark.parametrize(
    "rows",
    [
        payments(500, seed=1),
        payments(500, seed=1, year=2026),  # time goes on: years, seconds and days are out of the range
        payments(500, seed=1).assign(amount=lambda rows: 1.5 * rows["amount"]),  # prices rise
        payments(5, seed=1).assign(amount=np.nan, weight=0.07),  # of a few rows nothing can be said
        payments(500, seed=1).assign(
            amount=lambda rows: rows["amount"].where(rows.index > 100, 1e9)
        ),  # mistakes
        payments(100, seed=1).assign(claims=0, flag=0.0),
        customer(),
    ],
    ids=[
        "like training",
        "two years later",
        "dearer",
        "few rows",
        "some wild values",
        "all zeros",
        "a customer",
    ],
)
def test_ordinary_rows_give_no_warning(encoder, rows):
    encoder.transform(rows)  # warnings are errors


def test_models_that_do_not_know_the_range_of_their_columns_give_no_warning(encoder):
    stored = encoder.encoding_.to_dict()
    for column in stored["columns"]:
        for name in ("n_known", "low", "high"):
            column.pop(name, None)
    older = TableEncoder.of(TableEncoding.from_dict(stored))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        older.transform(payments(500, seed=1).assign(amount=np.nan, weight=0.07))
