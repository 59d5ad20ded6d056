"""Read data files, whole or by chunks with fixed memory."""

import importlib
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from ...validation.parameters import whole
from .options import Chunk, Chunks, Options, Table, check_options
from .source import opened


def read(
    path: Any,
    label: str | int | None = None,
    n_features: int | None = None,
    *,
    categorical: str | None = None,
    missing: str | None = None,
    on_bad_rows: str = "error",
    format: str | None = None,
    features: Sequence[str] | None = None,
    zero_based: bool | None = None,
    means: Sequence[float] | np.ndarray | None = None,
) -> Table:
    """Read a whole data file: LIBSVM text, CSV, TSV, Parquet or Arrow, compressed or not.

    Parameters
    ----------
    path : str, Path or binary file
        Where the rows are: a path, ``"-"`` for standard input, an address such as
        ``s3://bucket/file`` if fsspec is installed, or a file opened in binary mode.
        gzip, bzip2 and xz are undone, whatever the name.
    label : str or int, default=None
        Column of the labels in a table, by name or number (0 is the first, -1 the last);
        None if it has none. LIBSVM text says it by itself.
    n_features : int, default=None
        Width of X; learnt by default. LIBSVM text of a test set often uses fewer features than
        the training set had: give the number of the model. With ``categorical="hash"`` it says
        how many columns texts are hashed to, together with the numbers'.
    categorical : {"onehot", "hash"}, default=None
        What to do with columns of text: refuse them (None), one column for each value, or a fixed
        number of columns chosen by a hash of name and value. X is then a ``csr_array``.
    missing : {"zero", "mean"}, default=None
        What to do with missing values: refuse them (None), or put in 0 or the mean of the column.
        A missing text leaves the columns of its values at 0.
    on_bad_rows : {"error", "skip"}, default="error"
        Whether a row that cannot be used (malformed, without a label, with a value that is missing
        or infinite) raises or is left out and counted.
    format : {"libsvm", "csv", "tsv", "parquet", "arrow"}, default=None
        By default told by the extension or, failing that, the first line.
    features : sequence of str, default=None
        Names of the features of a model: X has exactly these, in this order, and other columns
        are ignored. The label column may then be absent.
    zero_based : bool, default=None
        Whether LIBSVM features are counted from 0; by default they are if a 0 occurs. A test set may
        happen to have none: give the ``zero_based`` of the training set's table.
    means : sequence of float, default=None
        What ``missing="mean"`` puts in, a number for each column of X, in place of the means of this
        file. For test data give those of the training set: ``means=table.X.mean(axis=0)``.

    Returns
    -------
    Table
        ``(X, y, feature_names, skipped, zero_based)``: a float64 array (``csr_array`` for LIBSVM
        text), the labels as in the file or None, the names or None, how many bad rows were left out,
        and whether LIBSVM features were counted from 0 (None for a table).

    Raises
    ------
    DataError
        A ValueError with the file, the line, what is wrong and what to do.

    Examples
    --------
    >>> import io
    >>> from aucmax.io import read
    >>> X, y, *_ = read(io.BytesIO(b"+1 1:0.5 3:2\\n-1 2:1\\n"))
    >>> X.toarray(), y
    (array([[0.5, 0. , 2. ], [0. , 1. , 0. ]]), array([ 1., -1.]))
    """
    options = Options(label, n_features, categorical, missing, on_bad_rows, features, zero_based, means)
    check_options(options)
    with opened(path, format) as source:
        return _reader(source.format).read(source, options)


def stream(
    path: Any,
    batch_size: int = 10_000,
    label: str | int | None = None,
    n_features: int | None = None,
    *,
    categorical: str | None = None,
    missing: str | None = None,
    on_bad_rows: str = "error",
    format: str | None = None,
    start: Any = 0,
    features: Sequence[str] | None = None,
    zero_based: bool | None = None,
    means: Sequence[float] | np.ndarray | None = None,
) -> Chunks:
    """Read a data file by chunks, in fixed memory; the arguments are those of ``read``.

    A chunk has ``batch_size`` rows, the last one fewer. In text files it has ``batch_size`` lines:
    blank lines, comments and bad rows make it smaller, but no chunk is empty. Lines left out without
    a good one among them are counted in the next chunk; ``skipped`` of the iterator itself counts all so
    far and, at its end, those after the last chunk too.

    Parameters
    ----------
    batch_size : int, default=10_000
        Rows of a chunk.
    n_features : int, default=None
        For LIBSVM text by default learnt by reading the file once beforehand; from standard
        input it must be given.
    categorical : {"hash"}, default=None
        ``"onehot"`` needs all values at once, so it is only for ``read``, unless ``features`` says
        which values there are.
    missing : {"zero", "mean"}, default=None
        ``"mean"`` is the mean of all values so far, those of the chunk included, unless ``means`` are
        given.
    start : int or dict, default=0
        Where to start: 0, or the ``position`` of a chunk, to go on after it with the same chunks as
        if nothing had happened. A position can be written as JSON.

    Returns
    -------
    Chunks
        An iterator over chunks ``(X, y, feature_names, position, skipped, zero_based)``.

    Examples
    --------
    >>> import io
    >>> from aucmax.io import stream
    >>> table = b"age,bought\\n31,yes\\n28,no\\n45,yes\\n"
    >>> for chunk in stream(io.BytesIO(table), batch_size=2, label="bought"):
    ...     print(chunk.X.ravel(), chunk.y)
    [31. 28.] ['yes' 'no']
    [45.] ['yes']
    """
    options = Options(label, n_features, categorical, missing, on_bad_rows, features, zero_based, means)
    check_options(options)
    whole.check("batch_size", batch_size)
    return Chunks(_chunks(path, batch_size, options, format, start))


def _chunks(
    path: Any, batch_size: int, options: Options, format: str | None, start: Any
) -> Generator[Chunk, None, int]:
    with opened(path, format) as source:
        return (yield from _reader(source.format).stream(source, batch_size, options, start))


def _reader(format: str) -> Any:
    """The module that reads a format; loaded on demand, since each needs other packages."""
    module = {"libsvm": "libsvm", "csv": "csv", "tsv": "csv"}.get(format, "arrow")
    return importlib.import_module(f"aucmax.io.reading.{module}")
