"""
Text
====

Paragraphs of SciPy's own documentation: which of them are about optimisation? One in fourteen
is. Words become columns of a sparse matrix by TF-IDF, and ``AUCClassifierCV`` chooses how far
to scale them, and the penalty, by cross-validated AUC.

The guide: :doc:`/text`.
"""

import inspect
from importlib import import_module

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupShuffleSplit, StratifiedGroupKFold
from sklearn.pipeline import make_pipeline

from aucmax import AUCClassifierCV, plot
from aucmax.metrics import auc_difference

PARTS = "fft integrate interpolate linalg ndimage optimize signal sparse special stats"

paragraphs, topics, functions = [], [], []
for part in PARTS.split():
    module = import_module(f"scipy.{part}")
    for name in sorted(module.__all__):
        for paragraph in inspect.cleandoc(getattr(module, name).__doc__ or "").split("\n\n"):
            if len(paragraph) > 60 and ">>>" not in paragraph:
                paragraphs.append(paragraph)
                topics.append(part == "optimize")
                functions.append(f"{part}.{name}")
y, functions = np.array(topics), np.array(functions)

# %%
# Paragraphs about one function must not be on both sides of a split, so every split goes by
# functions. Logistic regression gets the same words and folds, and the penalty with the best
# AUC.

train, test = next(
    GroupShuffleSplit(1, test_size=0.4, random_state=0).split(y, groups=functions)
)
words = TfidfVectorizer(sublinear_tf=True, min_df=3, token_pattern="[A-Za-z]{3,}")
X, X_test = (
    words.fit_transform(np.take(paragraphs, train)),
    words.transform(np.take(paragraphs, test)),
)
print(f"{X.shape[0]:,} paragraphs, {y[train].sum()} of them positive, {X.shape[1]:,} words")

folds = StratifiedGroupKFold(5)
ours = AUCClassifierCV(cv=folds).fit(X, y[train], groups=functions[train])
grid = {"C": np.logspace(-1, 3, 5)}
logistic = GridSearchCV(LogisticRegression(max_iter=1000), grid, scoring="roc_auc", cv=folds)
logistic.fit(X, y[train], groups=functions[train])
found = auc_difference(
    y[test], ours.decision_function(X_test), logistic.decision_function(X_test)
)
print(f"AUC less that of logistic regression: {found.difference:+.4f}")
print(f"95 % interval: {found.low:+.4f} to {found.high:+.4f}")

# %%
# The words that matter most, by the size of their weight times that of their column.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.5, 4.5), layout="constrained")
plot.roc(y[test], ours.decision_function(X_test), left, label="AUCClassifierCV")
plot.roc(y[test], logistic.decision_function(X_test), left, label="logistic regression")
plot.coefficients(make_pipeline(words, ours), ax=right, top=15)
plt.show()
