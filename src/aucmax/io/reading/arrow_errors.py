"""Errors of pyarrow as errors about data."""

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from ...validation.errors import DataError


@contextmanager
def pyarrow_errors(remedy: str = "check that the file is complete") -> Iterator[None]:
    """Turn the errors of pyarrow about a damaged file into a DataError."""
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError, MemoryError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise DataError(f"cannot be read ({reason})", remedy=remedy) from error
