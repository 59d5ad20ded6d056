"""Errors about data files that have another remedy on the command line, and shared remedies."""

from ...validation.errors import DataError

CORRECT_LINE = 'correct the line, or leave such rows out with {on_bad_rows="skip"}'
CORRECT_VALUE = (
    "correct the line, name such texts with {na_values} if they stand for a missing value, "
    'or leave such rows out with {on_bad_rows="skip"}'
)


class UnknownFormat(DataError):
    """The format of a file is not recognised."""


class FeatureZero(DataError):
    """LIBSVM text has a feature 0 although its features are counted from 1."""


class TooManyFeatures(DataError):
    """LIBSVM text has a feature beyond the number of features expected."""
