"""
A raw table: numbers, categories, dates, gaps
=============================================

Loans as they come out of a database: texts, dates and missing values beside numbers, and a
customer number that says nothing. ``TableEncoder`` makes features of them, as ``aucmax
train`` does with a file.

The guide: :doc:`/columns`.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from aucmax import AUCClassifierCV, plot
from aucmax.io import TableEncoder
from aucmax.metrics import auc_difference

rng, n = np.random.default_rng(0), 12_000
loans = pd.DataFrame({"customer": rng.permutation(n) + 100_000})
loans["opened"] = pd.Timestamp("2021-01-01") + pd.to_timedelta(
    rng.integers(0, 1400, n), unit="D"
)
loans["age"] = rng.integers(18, 80, n)
loans["income"] = np.exp(rng.normal(8.0, 0.5, n)).round()
loans["amount"] = np.exp(rng.normal(9.0, 0.7, n)).round(2)
loans["purpose"] = rng.choice(
    ["car", "kitchen", "debts", "holiday", "other"], n, p=[0.4, 0.2, 0.25, 0.1, 0.05]
)
odds = 0.8 * np.log(loans["amount"] / loans["income"]) - 0.02 * loans["age"] - 3.5
odds += loans["purpose"].map(
    {"car": 0, "kitchen": -0.3, "debts": 0.7, "holiday": 0.5, "other": 0.2}
)
odds += 0.5 * loans["opened"].dt.month.isin([11, 12])
default = rng.random(n) < 1 / (1 + np.exp(-odds))
loans.loc[rng.random(n) < 0.1 + 0.3 * default, "income"] = (
    np.nan
)  # who will not pay tells less
loans.loc[rng.random(n) < 0.05, "purpose"] = None
print(loans.head(4).to_string(index=False))

# %%
# The customer number is noticed and left out, with a warning. Logistic regression gets the
# same features, scaled, with the best of seven penalties.

train, test, y, y_test = loans[:6000], loans[6000:], default[:6000], default[6000:]
ours = make_pipeline(TableEncoder(), AUCClassifierCV())
logistic = make_pipeline(
    TableEncoder(), StandardScaler(with_mean=False), LogisticRegression(max_iter=1000)
)
grid = {"logisticregression__C": np.logspace(-4, 2, 7)}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    ours.fit(train, y)
    peer = GridSearchCV(logistic, grid, scoring="roc_auc").fit(train, y)
print(caught[0].message)
scores = ours.decision_function(test), peer.decision_function(test)
found = auc_difference(y_test, *scores)
print(f"AUC less that of logistic regression: {found.difference:+.4f}")
print(f"95 % interval: {found.low:+.4f} to {found.high:+.4f}")

# %%
# What the score is made of: each weight times the spread of its feature.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.5), layout="constrained")
for name, score in zip(["AUCClassifierCV", "logistic regression"], scores, strict=True):
    plot.roc(y_test, score, left, label=name)
plot.coefficients(ours, train, right, top=15)
plt.show()
