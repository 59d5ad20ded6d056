"""The models of ``aucmax demo`` compared with logistic regression: scores, AUC and ROC curves."""

import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...io.columns.options import ReadOptions
from ...io.storage.atomic import atomic_write
from ...io.storage.models import load_scorer
from ..data import chunks, labels
from ..evaluation import MAX_FPR
from ..progress import ProgressBar
from ..scoring import rows_to_evaluate
from ..training import TrainedModel, TrainingJob
from . import train, train_batch, train_stream

READING = ReadOptions(label="fraud", id="payment")
CHUNK_ROWS = 10_000
# What the models are called in tables and pictures.
LOGISTIC, LOGISTIC_STREAM, PLAIN, TOP, STREAM = (
    "logistic regression",
    "logistic regression by SGD",
    "aucmax train",
    f"aucmax train --max-fpr {MAX_FPR}",
    "aucmax train --stream",
)


class Ranking(NamedTuple):
    """Scores of the same rows by several models, logistic regression first, and the seconds of training."""

    positive: np.ndarray
    scores: dict[str, Any]
    seconds: dict[str, float]


def rank_alerts(old: str, new: str, model: str, top: str, seed: int) -> Ranking:
    """Train two models on old alerts, each with its logistic regression, and score new alerts."""
    scores: dict[str, Any] = {}
    seconds = {}
    for name, path, max_fpr in ((PLAIN, model, None), (TOP, top, MAX_FPR)):
        job = TrainingJob(old, READING, seed=seed, test=new, max_fpr=max_fpr)
        trained = train_batch.train(job, baseline=True)
        train.save(trained, job, None, path)
        rows, _ = rows_to_evaluate(load_scorer(path), new, ReadOptions())
        scores |= {LOGISTIC: rows.baseline_score, name: rows.score}
        seconds[name] = trained.seconds["fitting"]
    return Ranking(rows.positive, scores, seconds)


def rank_stream(payments: str, later: str, model: str, seed: int) -> Ranking:
    """Train a model and logistic regression in one pass over the stream, and score later payments."""
    job = TrainingJob(payments, READING, seed=seed)
    trained = train_stream.train(job, [])
    start = time.perf_counter()
    weights = fit_logistic_stream(trained, payments, seed)
    seconds = {LOGISTIC_STREAM: time.perf_counter() - start, STREAM: sum(trained.seconds.values())}
    train.save(trained._replace(stored={"baseline": {"coef": weights}}), job, None, model)
    rows, _ = rows_to_evaluate(load_scorer(model), later, ReadOptions())
    return Ranking(rows.positive, {LOGISTIC_STREAM: rows.baseline_score, STREAM: rows.score}, seconds)


def fit_logistic_stream(trained: TrainedModel, payments: str, seed: int) -> np.ndarray:
    """Weights of logistic regression by averaged SGD; columns are scaled by their deviation so far."""
    from sklearn.linear_model import SGDClassifier
    from sklearn.preprocessing import StandardScaler

    # This alpha without centring, of those from 1e-7 to 1e-4, centred or not, with and without the time as a
    # column, has the best AUC on these data.
    model = SGDClassifier(loss="log_loss", alpha=1e-6, average=True, random_state=seed)
    scaler, rows = StandardScaler(with_mean=False), 0
    with ProgressBar() as bar:
        for chunk in chunks(payments, READING.for_training(), CHUNK_ROWS):
            X = scaler.partial_fit(chunk.X).transform(chunk.X)
            X.indices, X.indptr = (
                X.indices.astype(np.int32),
                X.indptr.astype(np.int32),
            )  # SGDClassifier needs int32
            model.partial_fit(X, labels(chunk, payments), classes=trained.model.classes_)
            rows += X.shape[0]
            bar.update(f"logistic regression: {rows:,} rows", rows, trained.result["rows"])
    return model.coef_[0] / scaler.scale_


def compare(ranking: Ranking) -> list[dict[str, Any]]:
    """For each measure and model: value, interval, difference to logistic regression and its p-value."""
    from ...metrics import auc_difference, partial_auc_interval

    (baseline, baseline_score), *_ = ranking.scores.items()
    positive, lines = ranking.positive, []
    for measure, max_fpr in (("AUC", 1.0), (f"AUC to {MAX_FPR}", MAX_FPR)):
        options: dict[str, Any] = {"max_fpr": max_fpr, "standardized": max_fpr < 1.0}
        for name, score in ranking.scores.items():
            found = partial_auc_interval(positive, score, **options)
            line: dict[str, Any] = {"measure": measure, "model": name}
            line |= {"value": found.auc, "low": found.low, "high": found.high}
            if name != baseline:
                test = auc_difference(positive, score, baseline_score, **options)
                line |= {"difference": test.difference, "p_value": test.p_value}
            lines.append(line)
    return lines


def draw(path: str, alerts: Ranking, stream: Ranking) -> None:
    """ROC curves: of the alerts, of their top alone, and of the stream."""
    from matplotlib.figure import Figure

    from ... import plot
    from ...plot.axes import GREY, MODELS

    figure = Figure(figsize=(15.0, 4.8), dpi=120, layout="constrained")
    panels = {
        "alerts: the whole list": (alerts, None),
        "alerts: the top of the list": (alerts, MAX_FPR),
        "all payments: one pass over a stream": (stream, None),
    }
    for ax, (title, (ranking, max_fpr)) in zip(figure.subplots(1, 3), panels.items(), strict=True):
        for (name, score), color in zip(ranking.scores.items(), (GREY, *MODELS), strict=False):
            plot.roc(ranking.positive, score, ax, band=False, max_fpr=max_fpr, label=name, color=color)
        ax.set_title(title)
        if max_fpr is not None:  # up to max_fpr curves stay far below 1: zoom in
            ends = [np.interp(max_fpr, *line.get_data()) for line in ax.get_lines()]
            ax.set_ylim(top=min(1.0, 1.5 * max(ends)))
    with atomic_write(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:])
