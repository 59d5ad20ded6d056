"""Ctrl-C and SIGTERM as a wish to stop that is granted between two chunks."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Stopped(BaseException):
    """A signal asked the run to stop; the message says what is kept."""

    def __init__(self, number: int, message: str = "stopped") -> None:
        super().__init__(message)
        self.number = number


class Watch:
    """Notes the first signal; a second one has its usual effect."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.number: int | None = None
        self._idle = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Watch":
        for number in self.SIGNALS:
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: Any) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        self.__exit__()
        if self._idle:
            raise Stopped(number)

    @contextmanager
    def idle(self) -> Iterator[None]:
        """While waiting for input, which may never come, a signal ends the wait at once."""
        self._idle = True
        try:
            self.check()
            yield
        finally:
            self._idle = False

    def check(self) -> None:
        """Raise Stopped if a signal has come."""
        if self.number is not None:
            raise Stopped(self.number)
