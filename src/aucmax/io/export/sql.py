"""A model as an SQL expression, for the database that has the rows."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...calibration import Calibration
from ...validation.errors import DataError
from ...validation.parameters import one_of
from ..reading.table_encoder import Columns, TableEncoder
from .scoring import Pieces, TableModel, calibration_of, name_of, table_model

TERMS = 64  # added up in a row; sums are nested beyond, since databases limit the depth of an expression
FAR = 700.0  # log-odds whose probability is 0 or 1, and beyond which EXP overflows


def to_sql(
    model: Any, output: str = "score", *, table: str | None = None, columns: Sequence[str] | None = None
) -> str:
    """Write a model as one SQL expression over the columns of a table, for a SELECT.

    It needs CASE, COALESCE, TRIM and, for probabilities, EXP and subqueries, as DuckDB and SQLite have
    them, in which it is tested. Where a value is NULL, the result is NULL, unless the model fills missing
    values.

    Parameters
    ----------
    model : fitted estimator of aucmax, or what ``load_model`` returns
    output : {"score", "probability"}, default="score"
        The decision function, or the probability of ``classes_[1]`` where the model has probabilities.
    table : str, optional
        Name of the table, written before each column. SQLite needs it to notice a column that is missing:
        it takes a quoted name that it does not know for text.
    columns : sequence of str, optional
        Columns of the features, for a model that was fitted without their names.

    Returns
    -------
    str

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from aucmax import AUCClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = AUCClassifier(l2=0.1).fit(X[["petal width (cm)"]], y == 2)
    >>> model.coef_[:], model.intercept_[:] = 2.5, -4.0
    >>> print(to_sql(model, table="iris"))
    -4e+00 + 2.5e+00 * "iris"."petal width (cm)"
    """
    one_of("score", "probability").check("output", output)
    encoder, linear = _parts(model)
    if encoder is None:
        encoder = TableEncoder(_names(linear, columns))
    prefix = "" if table is None else f"{_quoted(table)}."
    terms = [_number(linear.intercept_[0]), *_terms(encoder, encoder.columns(), linear.coef_[0], prefix)]
    score = _sum(terms)
    return score if output == "score" else _probability(score, calibration_of(linear))


def select_statement(model: Any, table: str) -> str:
    """All columns of a table with the score of each row and, where the model has them, its probability."""
    calibrated = hasattr(_parts(model).linear, "calibration_")
    outputs = ["score", "probability"] if calibrated else ["score"]
    parts = [f"{to_sql(model, output, table=table)} AS {output}" for output in outputs]
    return f"SELECT {_quoted(table)}.*,\n" + ",\n".join(parts) + f"\nFROM {_quoted(table)};\n"


def _parts(model: Any) -> TableModel:
    found = table_model(model)
    if found is None:
        raise DataError(
            f"a {name_of(model)} cannot be written as SQL, only a model of aucmax",
            remedy="export the pipeline as ONNX, or train with the command line, which encodes and fills",
        )
    return found


def _names(linear: Any, columns: Sequence[str] | None) -> list[str]:
    known = getattr(linear, "feature_names_in_", None)
    names = known if columns is None else columns
    if names is None:
        raise DataError("the model was fitted without names of columns", remedy="give them as {columns}")
    if len(names) != linear.n_features_in_:
        problem = f"there are {len(names)} columns, but the model has {linear.n_features_in_} features"
        raise DataError(problem, remedy="give one for each feature as {columns}")
    return [str(name) for name in names]


def _terms(encoder: TableEncoder, columns: Columns, coef: np.ndarray, prefix: str) -> Iterator[str]:
    """What each column adds to the score; columns without weight are left out."""
    for name, k in columns.numbers.items():
        value = prefix + _quoted(name)
        if encoder.missing is not None:
            fill = 0.0 if encoder.missing == "zero" or encoder.means is None else encoder.means[k]
            value = f"COALESCE({value}, {_number(fill)})"
        if coef[k]:
            yield f"{_number(coef[k])} * {value}"
    for name, values in columns.texts.items():
        value = prefix + _quoted(name)
        cases = [f"WHEN {_text(level)} THEN {_number(coef[k])}" for level, k in values.items() if coef[k]]
        term = f"CASE TRIM({value}) {' '.join(cases)} ELSE 0e+00 END"  # a NULL is none of the levels
        if cases:
            yield term if encoder.missing is not None else f"CASE WHEN {value} IS NOT NULL THEN {term} END"


def _probability(score: str, calibration: Calibration) -> str:
    """The score is computed once, in a subquery, since a calibration uses it several times."""
    start, low, high, knot, slope = Pieces.of(calibration)
    terms = [_number(start)]
    for k in range(len(slope)):
        clipped = "s"
        if np.isfinite(low[k]):
            clipped = f"CASE WHEN {clipped} < {_number(low[k])} THEN {_number(low[k])} ELSE {clipped} END"
        if np.isfinite(high[k]):
            clipped = f"CASE WHEN s > {_number(high[k])} THEN {_number(high[k])} ELSE {clipped} END"
        terms.append(f"{_number(slope[k])} * ({clipped} - {_number(knot[k])})")
    far = _number(FAR)
    return (
        f"(SELECT CASE WHEN z < -{far} THEN 0e+00 WHEN z > {far} THEN 1e+00"
        " ELSE 1e+00 / (1e+00 + EXP(-z)) END"
        f" FROM (SELECT {_sum(terms)} AS z FROM (SELECT {score} AS s) AS scored) AS calibrated)"
    )


def _sum(terms: list[str]) -> str:
    while len(terms) > TERMS:
        groups = [terms[k : k + TERMS] for k in range(0, len(terms), TERMS)]
        terms = [f"({' + '.join(group)})" for group in groups]
    return " + ".join(terms)


def _number(value: float) -> str:
    """All digits of a number; the exponent makes it a binary float, not a decimal, in every database."""
    digits, _, exponent = repr(float(value)).partition("e")
    return f"{digits.removesuffix('.0')}e{int(exponent or 0):+03d}"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
