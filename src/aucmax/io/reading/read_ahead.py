"""Read the next chunk in a thread while the last one is learnt from."""

import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import Any

from .reader import Chunk, Chunks

LONGEST_WAIT = 0.5  # seconds for the thread to end


class ReadAhead(Iterator[Chunk]):
    """The chunks of a file in order, one of them read ahead; an error comes where its chunk would have come.

    The thread reads one chunk for each request. At the end of the ``with`` block a chunk on its way is waited
    for, as a process must not end within the code of a parser, but not for long: the input may be a pipe from
    which nothing more comes, so the thread is a daemon. ``SimpleQueue`` leaves no lock behind if Ctrl-C
    interrupts a wait.

    Examples
    --------
    >>> import io
    >>> from aucmax.io import stream
    >>> with ReadAhead(stream(io.BytesIO(b"+1 1:0.5\\n-1 2:1\\n"), batch_size=1, n_features=2)) as chunks:
    ...     [chunk.y.tolist() for chunk in chunks]
    [[1.0], [-1.0]]
    """

    def __init__(self, chunks: Chunks) -> None:
        self._chunks = chunks
        self._requests: SimpleQueue[bool] = SimpleQueue()
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._requests.put(True)
        self._thread = threading.Thread(target=self._read, name="aucmax reader", daemon=True)
        self._thread.start()

    def __next__(self) -> Chunk:
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            self._answers.put(answer)  # for the next call: an iterator stays at its end
            raise answer
        self._requests.put(True)
        return answer

    @property
    def skipped(self) -> int:
        """Number of bad rows left out up to the end of the file; complete after the last chunk."""
        return self._chunks.skipped

    def __enter__(self) -> "ReadAhead":
        return self

    def __exit__(self, *_: Any) -> None:
        self._requests.put(False)
        self._thread.join(LONGEST_WAIT)

    def _read(self) -> None:
        while self._requests.get():
            try:
                answer: Any = next(self._chunks)
            except BaseException as error:
                answer = error
            self._answers.put(answer)
        self._chunks.close()
