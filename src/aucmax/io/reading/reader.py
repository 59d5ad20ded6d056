"""Read data files, whole or by chunks with fixed memory."""

import inspect
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ...validation.errors import DataError
from ...validation.optional import import_optional
from ...validation.parameters import positive_integer
from ..columns.encoding import TableEncoding
from ..columns.options import ReadOptions
from ..columns.schema import Schema
from .file_set import list_files, open_files
from .formats import FORMATS
from .source import readable_twice

if TYPE_CHECKING:
    from ..columns.encoder import Encoder  # imports pyarrow
    from ..columns.features import Matrix

CHECKED_ROWS = 2000  # of a stream, to find identifiers


Position = int | dict[str, Any]  # in files: 0 for the beginning, or what a chunk says


class Table(NamedTuple):
    """A file in memory: rows, labels or None, feature names or None, and the number of rows left out.

    ``zero_based`` says whether the features of LIBSVM text were counted from 0; it is None for a table. Of a
    table, ``encoding`` says how its columns became features, and ``ids``, an Arrow array, has the column of
    IDs if there is one.
    ``found`` has the options that were found out about the file, to read other files in the same way:
    ``read("test.csv", **train.found)``.
    """

    X: "Matrix"
    y: np.ndarray | None
    feature_names: list[str] | None
    skipped: int = 0
    zero_based: bool | None = None
    encoding: TableEncoding | None = None
    ids: Any = None
    found: dict[str, Any] = {}  # noqa: RUF012


class Chunk(NamedTuple):
    """Some rows of a file; ``position`` is where the next chunk starts, for ``stream(start=...)``."""

    X: "Matrix"
    y: np.ndarray | None
    feature_names: list[str] | None
    position: Position
    skipped: int = 0
    zero_based: bool | None = None
    encoding: TableEncoding | None = None
    ids: Any = None
    found: dict[str, Any] = {}  # noqa: RUF012


class Rows(NamedTuple):
    """Some rows of a file, and where the next ones start."""

    X: "Matrix"
    y: np.ndarray | None
    position: Position


class Reader(Protocol):
    """The reader of one format, made by ``NAME(files, options, streaming)``; see ``formats``."""

    found: dict[str, Any]  # options that were found out about the files

    @property
    def encoder(self) -> "Encoder | None":
        """What makes features of the columns of a table."""

    @property
    def schema(self) -> Schema: ...

    @property
    def skipped(self) -> int:
        """Number of bad rows left out so far."""

    def read(self) -> tuple["Matrix", np.ndarray | None]:
        """X and y of the whole file, perhaps without rows."""

    def chunks(self, batch_size: int, start: Position) -> Iterator[Rows]:
        """The rows after ``start`` (0 or a position), ``batch_size`` at a time; never none."""


class Chunks(Iterator[Chunk]):
    """The chunks of a file, read one by one.

    Attributes
    ----------
    skipped : int
        Number of bad rows left out so far; at the end, those after the last chunk included.
    position : int or dict
        Where the next chunk starts.
    schema : Schema or None
        What the columns of the file are; None before the first chunk.
    """

    def __init__(
        self, open_reader: Callable[[], AbstractContextManager[Reader]], batch_size: int, start: Position = 0
    ) -> None:
        self.skipped = 0
        self.position = start
        self.schema: Schema | None = None
        self._open_reader = open_reader
        self._chunks = self._read(batch_size)

    def __next__(self) -> Chunk:
        return next(self._chunks)

    def close(self) -> None:
        """Close the file; there are no further chunks."""
        self._chunks.close()

    def _read(self, batch_size: int) -> Generator[Chunk, None, None]:
        resumed = self.position != 0
        with self._open_reader() as reader:
            for X, y, position in reader.chunks(batch_size, self.position):
                skipped = reader.skipped - self.skipped
                self.skipped, self.position, self.schema = reader.skipped, position, reader.schema
                yield Chunk(X, y, position=position, skipped=skipped, **_facts(reader))
            self.skipped = reader.skipped
            if reader.encoder is not None:
                reader.encoder.warn_of_new_data()
            if self.schema is None and not resumed:
                raise no_rows(self.skipped)


def _facts(reader: Reader) -> dict[str, Any]:
    """What is known of the columns after the last rows, as fields of a Table or a Chunk."""
    schema, encoder = reader.schema, reader.encoder
    facts = {"feature_names": schema.feature_names, "zero_based": schema.zero_based, "found": reader.found}
    return facts if encoder is None else facts | {"encoding": encoder.encoding, "ids": encoder.ids}


def check_start(start: Position, keys: set[str]) -> dict[str, Any]:
    """The position to start from, empty for the beginning; an error if another format wrote it."""
    if isinstance(start, int) and start == 0:
        return {}
    if not isinstance(start, dict) or set(start) != keys:
        raise ValueError(f"start must be 0 or the position of a chunk of the same file; got {start!r}.")
    return start


def no_rows(skipped: int) -> DataError:
    """The error for an input without a good row."""
    problem = {0: "it has no rows", 1: "its only row is bad"}.get(skipped, f"all {skipped:,} rows are bad")
    return DataError(problem, remedy="give a file with rows")


@contextmanager
def _open_reader(path: Any, format: str | None, options: ReadOptions, streaming: bool) -> Iterator[Reader]:
    with open_files(path, format) as files:
        first = files.first
        module, _, name = first.format.reader.partition(":")
        if module == "libsvm" and options.chosen_columns:
            problem = f"{first.format.title} has no columns to choose from"
            raise DataError(problem, remedy=f"leave out {{{options.chosen_columns[0]}}}")
        yield getattr(import_optional(f"{__package__}.{module}", f"Reading {first.name}"), name)(
            files, options, streaming
        )


@contextmanager
def _open_checked_reader(
    path: Any, format: str | None, options: ReadOptions, streaming: bool
) -> Iterator[Reader]:
    """A reader without the columns that the first rows, which are read beforehand, show to be useless."""
    with ExitStack() as stack:
        if not options.live:  # else the first rows would wait for others
            path = [readable_twice(each, stack) for each in list_files(path)]
            options = _without_useless_columns(path, format, options, streaming)
        with _open_reader(path, format, options._replace(check_columns=False), streaming) as reader:
            yield reader


def _without_useless_columns(path: Any, format: str | None, options: ReadOptions, streaming: bool) -> Any:
    """The options after a look at the first rows."""
    with _open_reader(path, format, options._replace(on_bad_rows="skip"), streaming) as reader:
        if reader.encoder is None:
            return options
        next(reader.chunks(CHECKED_ROWS, 0), None)
        return reader.encoder.findings.apply(options)


def read(
    path: Any,
    label: str | int | None = None,
    n_features: int | None = None,
    *,
    format: str | None = None,
    **options: Any,
) -> Table:
    """Read a whole data file, compressed or not, or several files as one.

    Parameters
    ----------
    path : str, Path, binary file or list of them
        A path, ``"-"`` for standard input, an address such as ``https://host/file`` (or ``s3://bucket/file``
        if fsspec and s3fs are installed), or a file opened in binary mode. gzip, bzip2, xz, Zstandard and zip
        are decompressed, whatever the name. Several files are read as one: those in a list, in a folder, of a
        pattern such as ``sales/*.csv``, or in a zip archive. They must have the same columns.
    format : {formats}, default=None
        By default recognised by the first bytes, the extension or the first line.
    {options}

    Returns
    -------
    Table
        ``(X, y, feature_names, skipped, zero_based, encoding, ids, found)``; X is a float64 array, or a
        ``csr_array`` for LIBSVM text. Data that cannot be used raise a ``DataError``.

    Examples
    --------
    >>> import io
    >>> from aucmax.io import read
    >>> X, y, *_ = read(io.BytesIO(b"+1 1:0.5 3:2\\n-1 2:1\\n"))
    >>> X.toarray(), y
    (array([[0.5, 0. , 2. ], [0. , 1. , 0. ]]), array([ 1., -1.]))
    """
    chosen = ReadOptions(label, n_features, **options)
    with _open_reader(path, format, chosen.check(), streaming=False) as reader:
        X, y = reader.read()
        if not X.shape[0]:
            raise no_rows(reader.skipped)
        if reader.encoder is not None:
            reader.encoder.warn_of_new_data()
        return Table(X, y, skipped=reader.skipped, **_facts(reader))


def stream(
    path: Any,
    batch_size: int = 10_000,
    label: str | int | None = None,
    n_features: int | None = None,
    *,
    format: str | None = None,
    start: Position | None = None,
    **options: Any,
) -> Chunks:
    """Read data files by chunks, in fixed memory; ``path`` and ``format`` are those of ``read``.

    LIBSVM text is read once beforehand to find ``n_features``, which must be given for standard input.
    ``categorical="onehot"`` needs ``features``. By default, means are those of the values so far.

    Parameters
    ----------
    batch_size : int, default=10_000
        Rows per chunk. In text: lines, so that chunks with blank or bad lines have fewer rows.
    start : int or dict, default=None
        The ``position`` of a chunk (or of its JSON), to continue after it; 0 or None for the beginning.
    {options}

    Returns
    -------
    Chunks
        An iterator over chunks ``(X, y, feature_names, position, skipped, zero_based, encoding, ids,
        found)``.

    Examples
    --------
    >>> import io
    >>> table = b"age,bought\\n31,yes\\n28,no\\n45,yes\\n"
    >>> for chunk in stream(io.BytesIO(table), batch_size=2, label="bought"):
    ...     print(chunk.X.ravel(), chunk.y)
    [31. 28.] ['yes' 'no']
    [45.] ['yes']
    """
    chosen = ReadOptions(label, n_features, **options)
    positive_integer.check("batch_size", batch_size)
    opener = _open_checked_reader if chosen.check().check_columns else _open_reader
    position = 0 if start is None else start
    return Chunks(partial(opener, path, format, chosen, streaming=True), batch_size, position)


# The options are described once, by ReadOptions, and the formats are those of the registry.
_options = (ReadOptions.__doc__ or "").partition("----------\n")[2].strip()
_formats = "{" + ", ".join(f'"{name}"' for name in FORMATS) + "}"
for _function in (read, stream):
    _signature = inspect.signature(_function)
    _own = {name: each for name, each in _signature.parameters.items() if name != "options"}
    _further = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default)
        for name, default in ReadOptions._field_defaults.items()
        if name not in _own
    ]
    _function.__signature__ = inspect.Signature([*_own.values(), *_further])  # type: ignore[union-attr]
    _text = (_function.__doc__ or "").replace("{options}", _options)
    _function.__doc__ = _text.replace("{formats}", _formats)
