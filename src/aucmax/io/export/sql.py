"""A model as an SQL expression, for the database that has the rows."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...calibration import Calibration
from ...validation.errors import DataError
from ...validation.parameters import one_of
from ..columns.curves import spline_pieces
from ..columns.encoding import DATE_PARTS, OTHER, REFERENCE, ColumnEncoding
from ..columns.feature_names import FeatureNames
from ..columns.features import calendar_years, hours
from .scoring import Pieces, TableModel, known_values, name_of, table_model

MAX_TERMS = 64  # added up in a row; sums are nested beyond, since databases limit the depth of an expression
_OF_AN_HOUR = {"HOUR": "1e+00", "MINUTE": "6e+01", "SECOND": "3.6e+03"}
MAX_LOG_ODDS = 700.0  # log-odds whose probability is 0 or 1, and beyond which EXP overflows


def to_sql(
    model: Any, output: str = "score", *, table: str | None = None, columns: Sequence[str] | None = None
) -> str:
    """Write a model as one SQL expression over the columns of a table, for a SELECT.

    It needs CASE, COALESCE, TRIM and, for probabilities, EXP and subqueries, as DuckDB and SQLite have
    them, in which it is tested; dates need EXTRACT, as DuckDB has it. Where a value is NULL, the result is
    NULL, unless the model fills missing values. Columns of numbers may be booleans.

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
    -4e+00 + 2.5e+00 * CAST("iris"."petal width (cm)" AS DOUBLE PRECISION)
    """
    one_of("score", "probability").check("output", output)
    encoder, linear = _parts(model)
    if encoder is None:
        encoding = FeatureNames(_names(linear, columns)).encoding()
    else:
        encoding = known_values(encoder.known_encoding())
    prefix = "" if table is None else f"{_quoted(table)}."
    weights = dict(zip(encoding.feature_names, linear.coef_[0].tolist(), strict=True))
    terms = [_number(linear.intercept_[0])]
    for column in encoding.columns:
        terms += ColumnSQL(column, prefix + _quoted(column.name), weights, encoding.fills_missing).terms()
    score = _sum(terms)
    if output == "score":
        return score
    if not hasattr(linear, "calibration_"):
        problem = f"this {type(linear).__name__} has no probabilities"
        raise DataError(problem, remedy="export its score, or fit AUCClassifierCV")
    return _probability(score, linear.calibration_)


def select_statement(model: Any, table: str) -> str:
    """All columns of a table with the score of each row and, where the model has them, its probability."""
    names = output_names(model)
    parts = [f"{to_sql(model, output, table=table)} AS {_quoted(name)}" for output, name in names.items()]
    return f"SELECT {_quoted(table)}.*,\n" + ",\n".join(parts) + f"\nFROM {_quoted(table)};\n"


def output_names(model: Any) -> dict[str, str]:
    """Names of the columns that ``select_statement`` adds: ``aucmax_score`` if there was a column ``score``.

    The columns of the training data count, in small or capital letters: databases do not tell them apart.
    """
    encoder, linear = _parts(model)
    taken = {str(name).lower() for name in getattr(linear, "feature_names_in_", ())}
    if encoder is not None:
        encoding = encoder.known_encoding()
        columns = (*(column.name for column in encoding.columns), encoding.label, encoding.id)
        taken = {name.lower() for name in columns if name is not None}
    names = {}
    for output in ("score", "probability") if hasattr(linear, "calibration_") else ("score",):
        names[output] = output
        while names[output] in taken:
            names[output] = f"aucmax_{names[output]}"
    return names


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


class ColumnSQL:
    """The terms of one column; ``value`` is its name in the database."""

    def __init__(
        self, column: ColumnEncoding, value: str, weights: dict[str, float], fills_missing: bool
    ) -> None:
        self._column, self._fills = column, fills_missing
        # Databases do not calculate with booleans, which are numbers to the model.
        self._value = f"CAST({value} AS DOUBLE PRECISION)" if column.kind == "number" else value
        self._measures = [weights[name] for name in column.measures]
        self._flags = dict(zip(column.flags, [weights[name] for name in column.flags], strict=True))

    def terms(self) -> Iterator[str]:
        """What the column adds to the score; nothing for features without weight."""
        column = self._column
        if column.kind == "text":
            yield from self._text_terms()
            return
        if column.kind == "date":
            yield from self._date_terms()
        elif column.knots:
            yield from self._curve_terms()
        elif self._measures[0]:
            yield f"{_number(self._measures[0])} * {self._filled(self._value, column.fill)}"
        if column.indicator and (weight := self._flags[column.flags[-1]]):
            yield f"CASE WHEN {self._value} IS NULL THEN {_number(weight)} ELSE 0e+00 END"

    def _filled(self, value: str, fill: float) -> str:
        return f"COALESCE({value}, {_number(fill)})" if self._fills else value

    def _curve_terms(self) -> Iterator[str]:
        """A polynomial between each two knots, constant beyond them; NULL is none of the cases."""
        if not any(self._measures):
            return
        knots, pieces = self._column.knots, spline_pieces(self._column.knots) @ np.array(self._measures)
        value = self._filled(self._value, self._column.fill)
        lowest = f"WHEN {value} < {_number(knots[0])} THEN {_number(pieces[0, 0])}"
        ways = [f"({value} - {_number(knot)})" for knot in knots]
        cases = [
            f"WHEN {value} < {_number(knots[k + 1])} THEN {_polynomial(ways[k], part)}"
            for k, part in enumerate(pieces.T)
        ]
        last = float(np.polynomial.polynomial.polyval(knots[-1] - knots[-2], pieces[:, -1]))
        yield f"CASE {lowest} {' '.join(cases)} WHEN {value} >= {_number(knots[-1])} THEN {_number(last)} END"

    def _text_terms(self) -> Iterator[str]:
        column = self._column
        pool = self._flags.get(f"{column.name}={OTHER}", 0.0) if column.pooled else 0.0
        missing = self._flags[column.flags[-1]] if column.indicator else 0.0
        weights = zip(column.levels, self._flags.values(), strict=False)
        cases = [f"WHEN {_text(level)} THEN {_number(weight)}" for level, weight in weights if weight or pool]
        if not (cases or pool or missing):
            return
        term = (
            f"CASE TRIM({self._value}) {' '.join(cases)} ELSE {_number(pool)} END" if cases else _number(pool)
        )
        if not self._fills:
            term = f"CASE WHEN {self._value} IS NOT NULL THEN {term} END"
        elif pool or missing:
            term = f"CASE WHEN {self._value} IS NULL THEN {_number(missing)} ELSE {term} END"
        yield term  # without a pool, a NULL is none of the levels

    def _date_terms(self) -> Iterator[str]:
        """By EXTRACT and the difference of dates, as PostgreSQL and DuckDB have them."""
        column, date = self._column, f"CAST({self._value} AS DATE)"
        moment = f"CAST({self._value} AS {'TIME' if column.clock else 'TIMESTAMP'})"
        for weight, (value, fill) in zip(self._measures, self._date_measures(date, moment), strict=True):
            if weight:
                yield f"{_number(weight)} * {self._filled(value, fill)}"
        sources = {
            "month": f"MONTH FROM {date}",
            "weekday": f"ISODOW FROM {date}",
            "hour": f"HOUR FROM {moment}",
        }
        for part, levels in DATE_PARTS.items():
            first = 0 if part == "hour" else 1
            found = [
                (k, self._flags.get(f"{column.name} {level}", 0.0)) for k, level in enumerate(levels, first)
            ]
            cases = [f"WHEN {k} THEN {_number(weight)}" for k, weight in found if weight]
            if cases:
                yield f"CASE EXTRACT({sources[part]}) {' '.join(cases)} ELSE 0e+00 END"

    def _date_measures(self, date: str, moment: str) -> list[tuple[str, float]]:
        """Hours, or year and days, and what replaces them where the date is missing."""
        column, fill = self._column, np.array([self._column.fill])
        if column.clock:
            parts = [f"EXTRACT({part} FROM {moment}) / {size}" for part, size in _OF_AN_HOUR.items()]
            return [(f"({' + '.join(parts)})", float(hours(fill)[0]))]
        days = (f"({date} - DATE '{REFERENCE}')", column.fill)
        year = float(calendar_years(fill)[0])
        return [(f"EXTRACT(YEAR FROM {date})", year), days] if column.year else [days]


def _polynomial(u: str, coefficients: np.ndarray) -> str:
    """By Horner's rule."""
    *rest, last = (_number(value) for value in coefficients)
    text = last
    for value in reversed(rest):
        text = f"({value} + {u} * {text})"
    return text


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
    far = _number(MAX_LOG_ODDS)
    return (
        f"(SELECT CASE WHEN z < -{far} THEN 0e+00 WHEN z > {far} THEN 1e+00"
        " ELSE 1e+00 / (1e+00 + EXP(-z)) END"
        f" FROM (SELECT {_sum(terms)} AS z FROM (SELECT {score} AS s) AS scored) AS calibrated)"
    )


def _sum(terms: list[str]) -> str:
    while len(terms) > MAX_TERMS:
        groups = [terms[k : k + MAX_TERMS] for k in range(0, len(terms), MAX_TERMS)]
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
