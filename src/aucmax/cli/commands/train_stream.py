"""Training in one pass and fixed memory, which can stop at any moment and go on to the same bits."""

import math
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from ...validation.errors import DataError
from ..data import check_known, check_two, chunks, labels, positive_index
from ..options import Reading
from ..progress import ProgressBar
from ..stop import SignalWatch, Stopped
from ..timing import Timer

if TYPE_CHECKING:
    import numpy as np

COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ")  # first bytes of gzip, bzip2 and xz


class Job(NamedTuple):
    """What is learnt from what; a checkpoint can only be gone on with by the same job."""

    data: str
    reading: Reading
    loss: str
    l2: float | None
    batch_size: int
    seed: int
    positive: str | None

    def arguments(self) -> dict[str, Any]:
        """What must be the same when going on; bad rows may be treated otherwise from there on.

        Which class is to rank high does not matter before the end.
        """
        same = self._asdict() | {"reading": self.reading._replace(on_bad_rows="error")._asdict()}
        del same["positive"]
        return same

    def model(self) -> Any:
        """The estimator, before it has seen a row."""
        import aucmax

        return aucmax.OnlineAUCClassifier(self.loss, l2=self.l2 or 0.0, random_state=self.seed)


class Fit(NamedTuple):
    """How far the training is."""

    model: Any
    position: Any = 0
    rows: int = 0
    positives: int = 0
    skipped: int = 0
    feature_names: list[str] | None = None
    zero_based: bool | None = None

    def counts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("rows", "positives", "skipped")}

    def columns(self) -> dict[str, Any]:
        """What the columns are; kept with the counts, since a run may resume with no chunk left to tell."""
        return {name: getattr(self, name) for name in ("feature_names", "zero_based")}

    def means(self) -> "np.ndarray | None":
        """Those of a table's columns so far, of which the numbers come first; None for LIBSVM text."""
        import numpy as np

        from ...io.reading.encoder import means_of

        if not isinstance(self.position, dict) or "sums" not in self.position:
            return None
        found = means_of(self.position["sums"], self.position["counts"])
        return np.pad(found, (0, self.model.n_features_in_ - len(found)))


class Keeper:
    """Writes the checkpoint when it is due, and reads it again."""

    def __init__(self, path: str | None, every: str, resume: bool) -> None:
        self.path = path
        self._resume = resume
        number = every.removesuffix("s")
        if not number.isdecimal() or int(number) < 1:
            raise typer.BadParameter(f"--checkpoint-every must be like 1000000 (rows) or 30s; got {every!r}.")
        self._seconds = int(number) if every.endswith("s") else math.inf
        self._rows = math.inf if every.endswith("s") else int(number)
        self._saved_at, self._saved_rows = time.monotonic(), 0
        if path is None and resume:
            raise typer.BadParameter("--resume needs --checkpoint FILE.")
        if path is not None and Path(path).exists() and not resume:
            raise typer.BadParameter(f"{path} is there already: add --resume to go on from it, or delete it.")

    def restore(self, job: Job) -> Fit:
        """The fit of the checkpoint, or one that is yet to begin."""
        if self.path is None or not Path(self.path).exists():
            return Fit(job.model())
        from ...io import load_checkpoint

        found = load_checkpoint(self.path)
        before = _options(found.arguments)
        for name, value in _options(job.arguments()).items():
            if before.get(name) != value:
                raise typer.BadParameter(
                    f"{self.path} was made with {name} {before.get(name)!r}, not {value!r}: give the same to "
                    "go on."
                )
        self._saved_rows = found.progress["rows"]
        return Fit(found.model, found.position, **found.progress)

    def is_due(self, fit: Fit) -> bool:
        """Whether so many rows or seconds have passed."""
        if self.path is None:
            return False
        rows, seconds = fit.rows - self._saved_rows, time.monotonic() - self._saved_at
        return rows >= self._rows or seconds >= self._seconds

    def save(self, job: Job, fit: Fit) -> None:
        """Write the checkpoint, if one is wanted and there is anything to keep."""
        if self.path is None or fit.rows == 0:
            return
        from ...io import save_checkpoint

        save_checkpoint(fit.model, self.path, fit.position, job.arguments(), fit.counts() | fit.columns())
        self._saved_at, self._saved_rows = time.monotonic(), fit.rows

    def resume_hint(self, fit: Fit) -> str:
        """What to tell who stopped the run."""
        if self.path is None:
            return f"stopped after {fit.rows:,} rows; nothing was kept, for want of --checkpoint FILE"
        arguments = sys.argv[1:] if "--resume" in sys.argv else [*sys.argv[1:], "--resume"]
        return f"stopped after {fit.rows:,} rows; go on with: aucmax {shlex.join(arguments)}"


def _options(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a job, those of its reading among them, by the names of the options."""
    flat = arguments | arguments.get("reading", {})
    flat.pop("reading", None)
    return {name if name == "data" else f"--{name.replace('_', '-')}": flat[name] for name in flat}


def train(job: Job, keeper: Keeper, test: str | None) -> tuple[Any, dict[str, Any]]:
    """Learn from all rows; the model and what is to be told of it."""
    import numpy as np

    from ..evaluation import evaluate_on_stream

    fit = keeper.restore(job)
    if fit.rows > 0:
        positive_index(job.positive, fit.model.classes_, job.data)
    timer = Timer()
    fit = learn(job, keeper, fit, timer)
    model, reading = fit.model, job.reading._replace(zero_based=fit.zero_based, means=fit.means())
    result = {
        "estimator": type(model).__name__,
        "data": Path(job.data).name,
        "features": model.n_features_in_,
        "classes": model.classes_.tolist(),
        "loss": job.loss,
        "l2": model.l2,
        "auc": float(model.auc_),
        "how": "of the rows as they came, each scored before it was learnt",
    }
    result |= fit.counts()
    if fit.feature_names is not None:
        model.feature_names_in_ = np.array(fit.feature_names, dtype=object)
    if test is not None:
        result |= evaluate_on_stream(model, test, reading)
        timer.record("judging")
    return model, result | {"reading": reading._asdict(), "seconds": timer.seconds}


def learn(job: Job, keeper: Keeper, fit: Fit, timer: Timer) -> Fit:
    """Go over the rows from where the fit is to the end of the input."""
    size, first_row, started = text_size(job.data), fit.rows, time.monotonic()
    rows, before = chunks(job.data, job.reading, job.batch_size, fit.position), fit.skipped
    with SignalWatch() as signals, ProgressBar() as bar:
        try:
            while True:
                with signals.waiting():
                    chunk = next(rows, None)
                timer.record("reading")
                if chunk is None:
                    break
                fit = step(job, fit, chunk)
                timer.record("learning")
                speed = (fit.rows - first_row) / (time.monotonic() - started)
                show_progress(bar, fit, speed, size)
                if keeper.is_due(fit):
                    keeper.save(job, fit)
                    timer.record("saving")
        except Stopped as stopped:
            keeper.save(job, fit)
            raise Stopped(stopped.number, keeper.resume_hint(fit)) from None
        except ValueError:  # a row that cannot be read or learnt: those before it are not lost
            keeper.save(job, fit)
            raise
    if fit.rows == 0:
        raise DataError(f"{job.data} has no rows.")
    keeper.save(job, fit)
    timer.record("saving")
    # With the bad rows after the last chunk: not in the checkpoint, since a resumed run meets them again.
    return fit._replace(skipped=before + rows.skipped)


def show_progress(bar: ProgressBar, fit: Fit, speed: float, size: int | None) -> None:
    """Show rows, rows per second, AUC, and how much of the file was read."""
    done = fit.position.get("byte", 0) if isinstance(fit.position, dict) else 0
    bar.update(f"{fit.rows:,} rows  {speed:,.0f} rows/s  AUC {fit.model.auc_:.4f}", done, size)


def text_size(path: str) -> int | None:
    """Size of a file whose positions count its bytes; None for pipes, compressed files and addresses."""
    if path == "-" or not Path(path).is_file():
        return None
    with open(path, "rb") as file:
        start = file.read(6)
    return None if start.startswith(COMPRESSED) else Path(path).stat().st_size


def step(job: Job, fit: Fit, chunk: Any) -> Fit:
    """The fit after one more chunk."""
    y = labels(chunk, job.data)
    classes = None
    if fit.rows == 0:
        classes = both_labels(job, chunk)
        positive_index(job.positive, classes, job.data)
    check_known(y, fit.model.classes_ if classes is None else classes, job.data)
    fit.model.partial_fit(chunk.X, y, classes=classes)
    return Fit(
        fit.model,
        chunk.position,
        fit.rows + len(y),
        fit.positives + int((y == fit.model.classes_[1]).sum()),
        fit.skipped + chunk.skipped,
        chunk.feature_names,
        chunk.zero_based,
    )


def both_labels(job: Job, chunk: Any) -> Any:
    """The labels of the first chunk; where it has but one, the other is looked for further on."""
    import numpy as np

    seen = np.unique(chunk.y)
    if len(seen) < 2 and job.data == "-":
        raise DataError(
            f"the first {len(chunk.y):,} rows are all of class {seen[0]}; raise --batch-size until the first "
            "chunk has rows of both."
        )
    later = chunks(job.data, job.reading, job.batch_size, chunk.position)
    while len(seen) < 2 and (other := next(later, None)) is not None:
        seen = np.union1d(seen, labels(other, job.data))
    check_two(seen, job.data)
    return seen
