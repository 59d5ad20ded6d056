"""The rows that a report judges: other rows than those of the training, or these while they were held out."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..io.columns.options import ReadOptions
from ..io.reading.reader import Chunk
from ..io.storage.models import Scorer
from .data import DataPath, data_name
from .evaluation import draw_test
from .scoring import linear_scores, score_labelled_rows

if TYPE_CHECKING:
    from ..report.contents import JudgedRows

SAME_MEAN = 1e-9  # relative difference of mean scores that rounding in another order may make


def file_name(data: DataPath) -> str:
    """The data without their folder."""
    return Path(data_name(data)).name


def judge_rows(scorer: Scorer, data: DataPath | None, reading: ReadOptions) -> "tuple[JudgedRows, str]":
    """The rows, and whether they are "new", "held out" in the training, or "learnt" from."""
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


def score_rows(scorer: Scorer, path: DataPath, reading: ReadOptions) -> "JudgedRows":
    """The rows of a file, with the scores of the model and of logistic regression, and the columns' means."""
    from ..report.contents import JudgedRows

    baseline = scorer.summary.get("baseline")
    others, sums = [np.empty(0)], np.zeros((2, len(scorer.coef)))

    def see(chunk: Chunk) -> None:
        sums[:] += [np.asarray(part.sum(axis=0)).ravel() for part in (chunk.X, chunk.X * chunk.X)]
        if baseline is not None:
            others.append(linear_scores(chunk.X, baseline["coef"]))

    positive, score, skipped = score_labelled_rows(scorer, path, reading, see)
    other = None if baseline is None else np.concatenate(others)
    what = f"the {len(score):,} rows of {file_name(path)}"
    mean, square = sums / len(score)
    spread = np.sqrt(np.maximum(square - mean**2, 0.0))
    return JudgedRows(positive, score, what, other, mean, spread, skipped)


def rows_held_out(scorer: Scorer) -> "JudgedRows":
    """The training rows with the scores that they had while they were held out, to the width of a group."""
    from ..report.contents import JudgedRows

    held_out = scorer.held_out
    assert held_out is not None
    counts = [np.rint(part).astype(np.int64) for part in (held_out.positive, held_out.negative)]
    positive = np.repeat([True, False], [counts[0].sum(), counts[1].sum()])
    score = np.concatenate([np.repeat(held_out.low, part) for part in counts])
    return JudgedRows(positive, score, f"the {len(score):,} training rows, each while it was held out")


def rows_of_test(rows: "JudgedRows", data: DataPath, scorer: Scorer) -> "JudgedRows":
    """Those of the rows that were kept for the test."""
    second = rows.positive if scorer.classes[1] == max(scorer.classes) else ~rows.positive
    _, test = draw_test(second, scorer.summary["test_size"], scorer.summary["seed"])
    what = f"the {len(test):,} rows of {file_name(data)} that were kept for the test"
    other = None if rows.other is None else rows.other[test]
    return rows._replace(positive=rows.positive[test], score=rows.score[test], other=other, what=what)
