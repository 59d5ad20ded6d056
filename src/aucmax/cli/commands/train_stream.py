"""Training in one pass with fixed memory; a stopped run is resumed and ends in the same bits."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...io.columns.encoding import TableEncoding
from ...io.columns.errors import MOST_SHOWN, quoted
from ...io.reading.read_ahead import ReadAhead
from ...io.reading.reader import Chunk
from ...validation.errors import list_first
from ...validation.labels import known_labels
from ..data import (
    ReadingProgress,
    check_labels,
    chunks,
    data_name,
    find_label,
    labels,
    positive_index,
)
from ..evaluation import evaluate_on_test
from ..messages import naming_columns, print_warning
from ..rendering import pluralize
from ..stop import SignalWatch, Stopped
from ..stream_labels import check_both_came, find_two_labels
from ..stream_spread import add_rows, standard_deviations
from ..stream_state import CheckpointFile, StreamState
from ..training import Timer, TrainedModel, TrainingJob, describe_training

HOW = (
    "by prequential evaluation (each row is scored before it is learnt from, and compared with rows close in "
    "time)"
)
FEW_ROWS = 10  # of a class: with fewer, the 95 % interval of an AUC is wider than 0.2


def train(
    job: TrainingJob,
    warned: list[str],
    batch_size: int = 10_000,
    shuffle: int | None = None,
    half_life: float | None = None,
    checkpoint: str | None = None,
    checkpoint_every: str = "30s",
    resume: bool = False,
) -> TrainedModel:
    """Learn from all rows, chunk by chunk, and evaluate; ``warned`` collects the texts of the warnings."""
    import aucmax

    from ...io.reading.shuffle import ShuffleBuffer

    # What must be the same when a run is resumed; --positive, --test and --on-bad-rows may change.
    reading = job.reading._replace(on_bad_rows="error").to_dict()
    loss = "squared_hinge" if job.loss == "auto" else job.loss
    arguments = {"data": job.data, "reading": reading, "loss": loss, "l2": job.l2, "half_life": half_life}
    arguments |= {"batch_size": batch_size, "shuffle": shuffle, "seed": job.seed}
    file = CheckpointFile(checkpoint, checkpoint_every, resume, arguments)
    model = aucmax.OnlineAUCClassifier(loss, l2=job.l2 or 0.0, half_life=half_life, random_state=job.seed)
    buffer = None if shuffle is None else ShuffleBuffer(shuffle, job.seed)
    state = file.restore(StreamState(model, buffer, warned=warned))
    if state.classes is not None:
        positive_index(job.positive, state.classes, job.data)
    timer = Timer()
    state = learn_rows(job, batch_size, state, file, timer)
    model = state.model
    if state.feature_names is not None:
        model.feature_names_in_ = np.array(state.feature_names, dtype=object)
    encoding = None if state.encoding is None else TableEncoding.from_dict(state.encoding)
    trained_reading = job.reading._replace(zero_based=state.zero_based, encoding=encoding, **state.found)
    result = describe_training(job, model, loss, model.l2, state.rows, state.positives, state.skipped)
    result |= {"auc": model.prequential_auc(), "how": HOW}
    result |= {} if half_life is None else {"half_life": half_life}
    warn_of_data(job, state, encoding, shuffle is not None)
    if job.test is not None:
        result |= evaluate_on_test(model, job.test, trained_reading)
        timer.record("evaluating")
    stored = None if state.sums is None else {"spread": standard_deviations(state.sums)}
    return TrainedModel(model, result, trained_reading, timer.seconds, stored)


def warn_of_data(
    job: TrainingJob, state: StreamState, encoding: TableEncoding | None, is_shuffled: bool
) -> None:
    """Warn of columns that say nothing, and of rows by which the AUC says little."""
    warn_of_constants(encoding)
    counts = (state.rows - state.positives, state.positives)
    if min(counts) < FEW_ROWS:
        warn_of_few_rows(job, state.model.classes_, counts)
    elif state.model.auc_coverage_ < 0.5:
        warn_of_order(is_shuffled, job.test is not None)


def warn_of_constants(encoding: TableEncoding | None) -> None:
    """Name the columns that had the same value in all rows: a stream knows it only at its end."""
    columns = () if encoding is None else encoding.of_kind("number", "date")
    constant = [quoted(column.name) for column in columns if column.low == column.high]
    if constant:
        listed = list_first(constant, MOST_SHOWN)
        print_warning(f"columns: constant, so of no use: {listed}; leave such columns out with --drop.")


def warn_of_few_rows(job: TrainingJob, classes: np.ndarray, counts: tuple[int, int]) -> None:
    """Say that a class has so few rows that nothing can be learnt from them, or measured on them."""
    parts = [
        f"{pluralize(count, 'row')} of class {label}" for label, count in zip(classes, counts, strict=True)
    ]
    problem = f"{data_name(job.data)} has {parts[0]} and {parts[1]}, too few to learn from"
    print_warning(f"{problem}: the scores, the AUC and the probabilities say little; give more rows.")


def warn_of_order(is_shuffled: bool, has_test: bool) -> None:
    """Say that the classes came one after the other."""
    remedy = "mix the rows with " + ("a larger --shuffle N" if is_shuffled else "--shuffle N")
    problem = "other orders may give a better model"
    if not has_test:
        problem, remedy = (
            f"the AUC of the rows in order says little, and {problem}",
            f"{remedy}, and give --test",
        )
    print_warning(f"the classes come one after the other, so {problem}; {remedy}.")


def learn_rows(
    job: TrainingJob, batch_size: int, state: StreamState, file: CheckpointFile, timer: Timer
) -> StreamState:
    """Learn from the rows after the position of a state, and save checkpoints."""
    n_counted = 0  # bad rows of the chunks
    with (
        ReadAhead(chunks(job.data, job.reading.for_training(), batch_size, state.position)) as rows,
        SignalWatch() as signals,
        ReadingProgress(job.data, state.rows) as progress,
    ):
        try:
            while True:
                with signals.waiting():
                    chunk = next(rows, None)
                timer.record("reading")
                if chunk is None:
                    break
                state = learn_chunk(job, batch_size, state, chunk)
                n_counted += chunk.skipped
                timer.record("learning")
                auc = f"  AUC {state.model.prequential_auc():.4f}" if hasattr(state.model, "n_iter_") else ""
                progress.add(chunk.X.shape[0], state.position, auc)
                if file.is_due(state):
                    file.save(state)
                    timer.record("saving")
        except Stopped as stopped:
            file.save(state)
            raise Stopped(stopped.number, file.resume_hint(state)) from None
        except ValueError:  # a row that cannot be read or learnt: the rows before it are saved
            file.save(state)
            raise
        # Bad rows after the last chunk are not counted in the checkpoint: a resumed run reads them again.
        skipped = state.skipped + rows.skipped - n_counted
    check_both_came(job, state)
    if state.buffer is not None:
        learn_groups(state, state.buffer.drain())
        timer.record("learning")
    file.save(state)
    timer.record("saving")
    return state._replace(skipped=skipped)


def learn_chunk(job: TrainingJob, batch_size: int, state: StreamState, chunk: Chunk) -> StreamState:
    """The state after one more chunk, whose rows are learnt from or wait to be mixed."""
    if state.classes is None:
        classes = find_two_labels(job, batch_size, chunk, state.buffer)
        if classes is not None:
            positive_index(job.positive, classes, job.data)
        waiting = [] if state.buffer is None else state.buffer.labels
        n_positive = sum(count_positive(part, classes) for part in waiting)
        state = state._replace(classes=classes, positives=n_positive)
    X, y, n_unknown = known_rows(job, state, chunk)
    state = state._replace(feature_names=chunk.feature_names)
    learn_groups(state, [(X, y)] if state.buffer is None else state.buffer.add(X, y))
    return state._replace(
        position=chunk.position,
        rows=state.rows + len(y),
        positives=state.positives + count_positive(y, state.classes),
        skipped=state.skipped + chunk.skipped + n_unknown,
        zero_based=chunk.zero_based,
        encoding=None if chunk.encoding is None else chunk.encoding.to_dict(),
        found=chunk.found,
        sums=add_rows(state.sums, X),
    )


def count_positive(y: np.ndarray, classes: np.ndarray | None) -> int:
    """Number of labels that are the second class; 0 where the classes are not known yet."""
    return 0 if classes is None else int((y == classes[1]).sum())


def known_rows(job: TrainingJob, state: StreamState, chunk: Chunk) -> tuple[Any, np.ndarray, int]:
    """The rows with one of the two labels, and how many others are skipped, which else are an error."""
    X, y = chunk.X, labels(chunk, job.data)
    if state.classes is None:
        return X, y, 0
    known = known_labels(y, state.classes)
    if known.all():
        return X, y, 0
    if not job.reading.skip_bad_rows:
        error = find_label(job.data, job.reading, state.classes, state.position)
        if error is not None:
            raise error
        check_labels(y, job.data, state.classes)
    return X[known], y[known], int((~known).sum())


def learn_groups(state: StreamState, groups: Iterable[tuple[Any, np.ndarray]]) -> None:
    """Learn from groups of rows, in place."""
    with naming_columns(state.feature_names):
        for X, y in groups:
            if not len(y):  # all rows of a chunk were skipped
                continue
            state.model.partial_fit(X, y, classes=state.classes)
