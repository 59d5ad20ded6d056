"""Score the rows of a file, which is read with the options of the training data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from ..io.columns.encoding import TableEncoding, stored_encoding
from ..io.columns.errors import FeatureZero, MissingValue, NoLabels, TooManyFeatures
from ..io.columns.options import COLUMN_CHOICES, ReadOptions
from ..io.reading.read_ahead import ReadAhead
from ..io.reading.reader import Chunk
from ..io.storage.models import Scorer
from ..validation.errors import DataError
from .data import (
    CHUNK,
    DataPath,
    ReadingProgress,
    check_labels,
    chunks,
    data_name,
    file_name,
    labels,
    split_train_test,
)
from .rendering import pluralize

if TYPE_CHECKING:
    from ..report.contents import EvaluatedRows

SAME_MEAN = 1e-9  # relative difference of mean scores that rounding in another order may make
SAME_FEATURES = "give data with the same features"


@contextmanager
def errors_about_model(n_features: bool, means: bool) -> Iterator[None]:
    """Reword errors about data that do not fit the model, where an option as a remedy would not help.

    ``n_features``: the number of features comes from the model, not from an option; ``means``: the model has
    the means of its training data.
    """
    try:
        yield
    except TooManyFeatures as error:
        if n_features:
            error.problem += ", the number that the model was trained on"
            error.remedy = SAME_FEATURES
        raise
    except FeatureZero as error:
        remedy = "number the features as in the training data, or remove feature 0"
        raise DataError(error.problem, remedy=remedy, file=error.file, place=error.place) from error
    except NoLabels as error:
        error.remedy = "give rows with labels; `aucmax predict` scores rows without them"
        raise
    except MissingValue as error:
        if not means:
            error.problem += ", and the model has no means to fill it with"
            error.remedy = 'give {missing="zero"}, or leave such rows out with {on_bad_rows="skip"}'
        raise


def options_for_model(scorer: Scorer, options: ReadOptions) -> ReadOptions:
    """The options, completed by those of the training, and with the features of the model."""
    reading = scorer.summary.get("reading", {})
    encoding = options.encoding or stored_encoding(reading)
    if encoding is not None:
        return options_for_encoding(options, reading, encoding)
    options = options.with_defaults(reading)._replace(features=scorer.feature_names)
    if scorer.feature_names is None and options.n_features is None:
        options = options._replace(n_features=len(scorer.coef))
    if options.means is None and options.missing == "mean":
        options = options._replace(missing=None)  # the score of a row must not depend on other rows
    return options


def options_for_encoding(
    options: ReadOptions, reading: dict[str, Any], encoding: TableEncoding
) -> ReadOptions:
    """The options, completed by those of the training, whose columns the encoding has."""
    given = [name for name in COLUMN_CHOICES if getattr(options, name) is not None]
    if options.categorical is not None:
        given.append("categorical")
    if given:
        problem = "the columns of a model and their encoding are those of its training"
        raise DataError(problem, remedy=f"leave out {{{given[0]}}}")
    missing = options.missing
    trained = ReadOptions(**reading | {"encoding": None}).for_encoding(encoding)._replace(id=None)
    return options.with_defaults(trained._asdict())._replace(encoding=encoding, missing=missing)


class ScoredRows:
    """The rows of a file with their scores, chunk by chunk; ``skipped`` counts the bad rows."""

    def __init__(self, scorer: Scorer, path: DataPath, options: ReadOptions, labels: bool = True) -> None:
        self._scorer = scorer
        self._path = path
        self._n_features_given = options.n_features is not None
        self._options = options_for_model(scorer, options)._replace(
            labels=labels, live=not labels, classes=scorer.classes.tolist() if labels else None
        )
        self._rows = chunks(path, self._options, CHUNK)

    @property
    def skipped(self) -> int:
        """Number of bad rows left out so far."""
        return self._rows.skipped

    def labels(self, chunk: Chunk) -> np.ndarray:
        """The labels of a chunk; an error that names their column if the file lacks it."""
        column = self._options.label
        if chunk.y is not None or column is None:
            return labels(chunk, self._path)
        problem, remedy = f"it has no column {column!r}", "give another {label}"
        if column == self._scorer.summary.get("reading", {}).get("label"):
            problem, remedy = f"{problem}, the label in training", "give rows that have it"
        raise DataError(problem, remedy=remedy, file=data_name(self._path))

    @property
    def id_column(self) -> str | None:
        """Name of the column that names the rows, after the first chunk."""
        return None if self._rows.schema is None else self._rows.schema.id

    def __iter__(self) -> Iterator[tuple[Chunk, np.ndarray]]:
        known = self._options.means is not None or self._options.encoding is not None
        with (
            errors_about_model(not self._n_features_given, known),
            ReadAhead(self._rows) as rows,  # while the last chunk is scored and written
            ReadingProgress(self._path) as progress,
        ):
            for chunk in rows:
                yield chunk, self._scores(chunk.X)
                progress.add(chunk.X.shape[0], chunk.position)

    def _scores(self, X: Any) -> np.ndarray:
        """The scores of rows, equal to those of the model's ``decision_function`` to the last bit."""
        found, expected = X.shape[1], len(self._scorer.coef)
        if found != expected:
            problem = f"it has {pluralize(found, 'feature')}, but the model was trained on {expected}"
            raise DataError(problem, remedy=SAME_FEATURES, file=data_name(self._path))
        return linear_scores(X, self._scorer.coef) + self._scorer.intercept


def linear_scores(X: Any, coef: np.ndarray) -> np.ndarray:
    """``X @ coef`` by the compiled loops of the library."""
    from ..kernels.rows import as_rows, scores

    return scores(as_rows(X if hasattr(X, "indptr") else np.ascontiguousarray(X)), coef)


def score_labelled_rows(
    scorer: Scorer,
    path: DataPath,
    options: ReadOptions,
    on_chunk: Callable[[Chunk], None] = lambda chunk: None,
) -> tuple[np.ndarray, np.ndarray, int]:
    """``(positive, score, skipped)``: which rows are positive, all scores, and how many rows were skipped.

    ``on_chunk`` is called with each chunk.
    """
    rows, parts = ScoredRows(scorer, path, options), []
    for chunk, score in rows:
        y = rows.labels(chunk)
        check_labels(y, path, scorer.classes)
        parts.append((y == scorer.classes[1], score))
        on_chunk(chunk)
    positive, score = (np.concatenate(column) for column in zip(*parts, strict=True))
    check_labels(scorer.classes[np.unique(positive).astype(int)], path)
    return positive, score, rows.skipped


def rows_to_evaluate(
    scorer: Scorer, data: DataPath | None, reading: ReadOptions
) -> "tuple[EvaluatedRows, str]":
    """The rows a report is about, and whether they are "new", "held out" in training, or "learnt" from."""
    if data is None or data == []:
        return rows_held_out(scorer), "held out"
    rows = score_rows(scorer, data, reading)
    if not are_training_rows(scorer, data, rows.positive, rows.score):
        return rows, "new"
    if "training_scores" not in scorer.summary:
        return rows, "learnt"
    if "test_size" in scorer.summary:
        return rows_of_test(rows, data, scorer), "new"
    return rows_held_out(scorer), "held out"


def are_training_rows(scorer: Scorer, data: DataPath, positive: np.ndarray, score: np.ndarray) -> bool:
    """Whether a model was trained on these rows: by their scores, or by their number and their file."""
    summary = scorer.summary
    known = summary.get("training_scores")
    if known is None:
        facts = summary.get("rows"), summary.get("positives"), summary.get("data")
        return facts == (len(score), int(positive.sum()), file_name(data))
    return len(score) == known["rows"] and bool(np.isclose(score.mean(), known["mean"], rtol=SAME_MEAN))


def score_rows(scorer: Scorer, path: DataPath, reading: ReadOptions) -> "EvaluatedRows":
    """The rows of a file, with the scores of the model and of logistic regression, and the columns' means."""
    from ..report.contents import EvaluatedRows

    baseline = scorer.summary.get("baseline")
    others, sums = [np.empty(0)], np.zeros((2, len(scorer.coef)))

    def add_chunk(chunk: Chunk) -> None:
        sums[:] += [np.asarray(part.sum(axis=0)).ravel() for part in (chunk.X, chunk.X * chunk.X)]
        if baseline is not None:
            others.append(linear_scores(chunk.X, baseline["coef"]))

    positive, score, skipped = score_labelled_rows(scorer, path, reading, add_chunk)
    other = None if baseline is None else np.concatenate(others)
    what = f"the {len(score):,} rows of {file_name(path)}"
    mean, square = sums / len(score)
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    return EvaluatedRows(positive, score, what, other, mean, spread, skipped)


def rows_held_out(scorer: Scorer) -> "EvaluatedRows":
    """The training rows with the scores that they had while they were held out, to the width of a group."""
    from ..report.contents import EvaluatedRows

    held_out = scorer.held_out
    assert held_out is not None
    counts = [np.rint(part).astype(np.int64) for part in (held_out.positive, held_out.negative)]
    positive = np.repeat([True, False], [counts[0].sum(), counts[1].sum()])
    score = np.concatenate([np.repeat(held_out.low, part) for part in counts])
    return EvaluatedRows(positive, score, f"the {len(score):,} training rows, each while it was held out")


def rows_of_test(rows: "EvaluatedRows", data: DataPath, scorer: Scorer) -> "EvaluatedRows":
    """Those of the rows that were kept for the test."""
    second = rows.positive if scorer.classes[1] == max(scorer.classes) else ~rows.positive
    _, test = split_train_test(second, scorer.summary["test_size"], scorer.summary["seed"])
    what = f"the {len(test):,} rows of {file_name(data)} that were kept for the test"
    other = None if rows.baseline_score is None else rows.baseline_score[test]
    kept = rows._replace(positive=rows.positive[test], score=rows.score[test], baseline_score=other)
    return kept._replace(what=what)
