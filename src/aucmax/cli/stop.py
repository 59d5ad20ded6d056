"""Ctrl-C and SIGTERM stop a training between two chunks, so that its state can be saved."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Stopped(BaseException):
    """A signal stopped the run; the message says what was saved."""

    def __init__(self, number: int, message: str = "stopped") -> None:
        super().__init__(message)
        self.number = number


class SignalWatch:
    """Records the first signal; a second signal has its default effect."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self) -> None:
        self.number: int | None = None
        self._is_waiting = False
        self._old_handlers: dict[int, Any] = {}

    def __enter__(self) -> "SignalWatch":
        import pyarrow

        pyarrow.enable_signal_handlers(False)  # else it takes the signals that come while it parses a file
        for number in self.SIGNALS:
            self._old_handlers[number] = signal.signal(number, self._record)
        return self

    def __exit__(self, *_: Any) -> None:
        for number, handler in self._old_handlers.items():
            signal.signal(number, handler)

    def _record(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        self.__exit__()
        if self._is_waiting:
            raise Stopped(number)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """While the program waits for input, which may never come, a signal raises Stopped at once."""
        self._is_waiting = True
        try:
            if self.number is not None:
                raise Stopped(self.number)
            yield
        finally:
            self._is_waiting = False
