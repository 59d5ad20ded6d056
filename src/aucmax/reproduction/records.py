"""Flat records of what was run, one JSON object a line; what is there need not be run again."""

import itertools
import json
import os
import platform
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..io.storage.atomic import atomic_write
from ..validation.errors import DataError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")
PAUSE = 300.0  # seconds without a record after which a run was stopped, not slow


class Records:
    """The records of one experiment, in a file that only grows.

    A line cut off by a crash is dropped when the file is opened again, and its work is done again.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self.path = Path(path)
        self.all: list[dict[str, Any]] = []
        if not self.path.exists():
            return
        text = self.path.read_text(encoding="utf-8")
        whole = text[: text.rfind("\n") + 1]
        self.all = [self._read(number, line) for number, line in enumerate(whole.splitlines(), start=1)]
        if whole != text:
            with atomic_write(self.path) as file:
                file.write(whole.encode())

    def _read(self, number: int, line: str) -> dict[str, Any]:
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise DataError(f"{self.path}, line {number} is no record; delete that line and run again.")
        return record

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other runs from adding to the file, where the system can."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a") as file:
            try:
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise DataError(
                    f"Another run adds to {self.path}; wait for it, or give another folder."
                ) from error
            yield

    def add(self, record: dict[str, Any]) -> None:
        """Append a record, at once and whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.all.append(record)

    def where(self, **wanted: Any) -> list[dict[str, Any]]:
        """The records with these values."""
        return [record for record in self.all if record.items() >= wanted.items()]

    def minutes(self) -> float:
        """How long the runs took that made the records; pauses between runs do not count."""
        times = sorted(datetime.fromisoformat(record["at"]) for record in self.all)
        gaps = [(after - before).total_seconds() for before, after in itertools.pairwise(times)]
        return sum(gap for gap in gaps if gap < PAUSE) / 60.0


def versions() -> str:
    """What a record was made with."""
    from aucmax import __version__

    made_with = [f"aucmax {__version__}", f"Python {platform.python_version()}"]
    return ", ".join(made_with + [f"{name} {version(name)}" for name in PACKAGES])


def now() -> str:
    """The time a record is stamped with."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def mean_and_spread(values: Iterable[float]) -> tuple[float, float]:
    """Mean and standard deviation; one value alone has none."""
    found = list(values)
    mean = sum(found) / len(found)
    if len(found) == 1:
        return mean, 0.0
    return mean, (sum((value - mean) ** 2 for value in found) / (len(found) - 1)) ** 0.5
