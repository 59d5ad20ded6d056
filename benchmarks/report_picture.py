"""The picture of docs/report.md: a screenshot of the report of a made-up table of loans.

    python benchmarks/report_picture.py

Needs playwright and an installed Chromium.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "report.png"
N_ROWS = 12_000


def make_loans():
    """Loans with a customer number, and a few defaults that follow from the other columns."""
    rng = np.random.default_rng(0)
    purposes = ["car", "kitchen", "holiday", "debts", "education"]
    frame = pd.DataFrame(
        {
            "customer": [f"C{k:06d}" for k in rng.permutation(N_ROWS)],
            "age": rng.integers(20, 75, N_ROWS),
            "income": np.exp(rng.normal(10.3, 0.5, N_ROWS)).round(),
            "amount": np.exp(rng.normal(8.5, 0.8, N_ROWS)).round(),
            "months": rng.choice([12, 24, 36, 48, 60], N_ROWS),
            "purpose": rng.choice(purposes, N_ROWS, p=[0.4, 0.2, 0.1, 0.25, 0.05]),
            "previous_defaults": rng.poisson(0.2, N_ROWS),
        }
    )
    odds = 0.9 * frame["previous_defaults"] + 0.7 * np.log(10 * frame["amount"] / frame["income"]) - 4
    odds += 0.6 * (frame["purpose"] == "holiday") - 0.02 * (frame["age"] - 45) + 0.015 * frame["months"]
    frame["default"] = np.where(rng.random(N_ROWS) < 1 / (1 + np.exp(-odds)), "yes", "no")
    return frame


def aucmax(*arguments):
    subprocess.run([sys.executable, "-m", "aucmax", *map(str, arguments)], check=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name, sync_playwright() as play:
        data, model, page = (Path(name) / each for each in ("loans.csv", "model.auc", "report.html"))
        make_loans().to_csv(data, index=False)
        options = ["--label", "default", "--id", "customer", "--test-size", "0.3", "--threshold", "cost=1:10"]
        aucmax("train", data, *options, "-o", model)
        aucmax("report", model, data, "-o", page)
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        view = browser.new_page(viewport={"width": 1200, "height": 900})
        view.goto(page.as_uri())
        view.screenshot(path=PICTURE, full_page=True)
        browser.close()
