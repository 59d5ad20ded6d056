"""Score the rows of a file, which is read with the options of the training data."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..io.columns.encoding import TableEncoding, stored_encoding
from ..io.columns.errors import FeatureZero, MissingValue, NoLabels, TooManyFeatures
from ..io.columns.options import COLUMN_CHOICES, ReadOptions
from ..io.reading.read_ahead import ReadAhead
from ..io.reading.reader import Chunk
from ..io.storage.models import Scorer
from ..validation.errors import DataError
from .data import check_labels, chunks, data_name, labels
from .options import DataPath
from .progress import ProgressBar, share_done, text_sizes
from .rendering import pluralize

CHUNK = 10_000  # rows scored at a time
SAME_FEATURES = "give data with the same features"


@contextmanager
def errors_about_model(n_features: bool = True, means: bool = True) -> Iterator[None]:
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
        self._options = options_for_model(scorer, options)._replace(labels=labels, live=not labels)
        self._rows = chunks(path, self._options, CHUNK)
        self._sizes = text_sizes(path)

    @property
    def skipped(self) -> int:
        """Number of bad rows left out so far."""
        return self._rows.skipped

    @property
    def id_column(self) -> str | None:
        """Name of the column that names the rows, after the first chunk."""
        return None if self._rows.schema is None else self._rows.schema.id

    def __iter__(self) -> Iterator[tuple[Chunk, np.ndarray]]:
        known = self._options.means is not None or self._options.encoding is not None
        with (
            errors_about_model(not self._n_features_given, known),
            ReadAhead(self._rows) as rows,  # while the last chunk is scored and written
            ProgressBar() as bar,
        ):
            n_rows, started = 0, time.monotonic()
            for chunk in rows:
                yield chunk, self._scores(chunk.X)
                n_rows += chunk.X.shape[0]
                speed = n_rows / max(time.monotonic() - started, 1e-9)
                done = share_done(chunk.position, self._sizes)
                bar.update(f"{n_rows:,} rows  {speed:,.0f} rows/s", *done)

    def _scores(self, X: Any) -> np.ndarray:
        """The scores of rows, equal to those of the model's ``decision_function`` to the last bit."""
        from ..kernels.rows import as_rows, scores

        found, expected = X.shape[1], len(self._scorer.coef)
        if found != expected:
            problem = f"it has {pluralize(found, 'feature')}, but the model was trained on {expected}"
            raise DataError(problem, remedy=SAME_FEATURES, file=data_name(self._path))
        X = X if hasattr(X, "indptr") else np.ascontiguousarray(X)
        return scores(as_rows(X), self._scorer.coef) + self._scorer.intercept


def score_labelled_rows(
    scorer: Scorer, path: DataPath, options: ReadOptions, see: Callable[[Chunk], None] = lambda chunk: None
) -> tuple[np.ndarray, np.ndarray, int]:
    """``(positive, score, skipped)``: which rows are positive, all scores, and how many rows were skipped.

    ``see`` is called with each chunk.
    """
    rows, parts = ScoredRows(scorer, path, options), []
    for chunk, score in rows:
        y = labels(chunk, path)
        check_labels(y, path, scorer.classes)
        parts.append((y == scorer.classes[1], score))
        see(chunk)
    positive, score = (np.concatenate(column) for column in zip(*parts, strict=True))
    check_labels(scorer.classes[np.unique(positive).astype(int)], path)
    return positive, score, rows.skipped
