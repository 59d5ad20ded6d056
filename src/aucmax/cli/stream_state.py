"""How far a training in one pass has come, and the checkpoint that keeps it."""

import math
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import typer

if TYPE_CHECKING:
    from ..io.reading.shuffle import ShuffleBuffer


class StreamState(NamedTuple):
    """The model, the rows that wait to be mixed, and what is known of the rows read so far."""

    model: Any
    buffer: "ShuffleBuffer | None" = None
    position: Any = 0
    classes: np.ndarray | None = None
    rows: int = 0
    positives: int = 0
    skipped: int = 0
    feature_names: list[str] | None = None
    zero_based: bool | None = None
    encoding: dict[str, Any] | None = None  # of a table, by TableEncoding.to_dict
    found: dict[str, Any] = {}  # noqa: RUF012 (options found out about the files)
    sums: dict[str, Any] | None = None  # of the columns, for their spread
    warned: list[str] = []  # noqa: RUF012 (texts of the warnings so far, for the model file)


class CheckpointFile:
    """Saves the state every so many rows (``"1000000"``) or seconds (``"30s"``), and restores it."""

    def __init__(self, path: str | None, every: str, resume: bool, arguments: dict[str, Any]) -> None:
        number = every.removesuffix("s")
        if not number.isdecimal() or int(number) < 1:
            raise typer.BadParameter(f"--checkpoint-every must be like 1000000 (rows) or 30s; got {every!r}.")
        if path is not None and Path(path).exists() and not resume:
            raise typer.BadParameter(f"{path} exists: add --resume to continue from it, or delete it.")
        self._path = path
        self._arguments = arguments
        self._seconds = int(number) if every.endswith("s") else math.inf
        self._rows = math.inf if every.endswith("s") else int(number)
        self._saved_at, self._saved_rows = time.monotonic(), 0

    def restore(self, state: StreamState) -> StreamState:
        """The saved state, which must have had the same arguments; the one given if there is no file."""
        if self._path is None or not Path(self._path).exists():
            return state
        from ..io import load_checkpoint

        saved = load_checkpoint(self._path)
        before = _by_option(saved.arguments)
        for option, value in _by_option(self._arguments).items():
            if before.get(option) != value:
                old, new = ("none" if each is None else repr(each) for each in (before.get(option), value))
                what = "other data" if option == "data" else f"another {option}"
                problem = f"{self._path} was made with {what} ({old}, now {new})"
                raise typer.BadParameter(f"{problem}: give the same options to continue.")
        progress = saved.progress
        self._saved_rows = progress["rows"]
        if state.buffer is not None:
            state.buffer.restore(progress["buffer"])
        state.warned.extend(progress.get("warned", ()))  # none in an older checkpoint
        kept = {"buffer": state.buffer, "warned": state.warned}
        return StreamState(**progress | kept | {"model": saved.model, "position": saved.position})

    def is_due(self, state: StreamState) -> bool:
        """Whether enough rows or seconds have passed since the last save."""
        rows, seconds = state.rows - self._saved_rows, time.monotonic() - self._saved_at
        return self._path is not None and (rows >= self._rows or seconds >= self._seconds)

    def save(self, state: StreamState) -> None:
        """Write the checkpoint, if a file was given and the labels of the rows are known."""
        if self._path is None or state.classes is None:
            return
        from ..io import save_checkpoint

        progress = state._asdict()
        model, position = progress.pop("model"), progress.pop("position")
        progress["buffer"] = None if state.buffer is None else state.buffer.state()
        save_checkpoint(model, self._path, position, self._arguments, progress)
        self._saved_at, self._saved_rows = time.monotonic(), state.rows

    def resume_hint(self, state: StreamState) -> str:
        """How to continue a run that was stopped."""
        if self._path is None:
            return f"stopped after {state.rows:,} rows; nothing was saved: no --checkpoint FILE was given"
        arguments = sys.argv[1:] if "--resume" in sys.argv else [*sys.argv[1:], "--resume"]
        return f"stopped after {state.rows:,} rows; continue with: aucmax {shlex.join(arguments)}"


def _by_option(arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a run, including how its data are read, by the names of the options."""
    flat = arguments | arguments.get("reading", {})
    flat.pop("reading", None)
    return {name if name == "data" else f"--{name.replace('_', '-')}": flat[name] for name in flat}
