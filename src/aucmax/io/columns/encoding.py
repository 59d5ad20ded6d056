"""How the columns of a table become features: learnt from training data and stored in the model file."""

from typing import Any, NamedTuple

from ...validation.errors import DataError

KINDS = ("number", "text", "date")
HASH_PREFIX = "hash_"  # columns that text is hashed to are called hash_0, hash_1, ...
OTHER = "(other)"  # the feature of rare levels is called column=(other)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DATE_PARTS = {  # periodic parts of a date, in the order of their codes
    "month": tuple(f"month={k}" for k in range(1, 13)),
    "weekday": tuple(f"weekday={day}" for day in WEEKDAYS),
    "hour": tuple(f"hour={k}" for k in range(24)),
}
DATE_LEVELS = (*DATE_PARTS["month"], *DATE_PARTS["weekday"], *DATE_PARTS["hour"])
REFERENCE, REFERENCE_DAY = "2000-01-01", 10957  # days are counted from here; the number is since 1970


class ColumnEncoding(NamedTuple):
    """What one column of a table is, and which features it gives.

    A number gives itself, or with knots the columns of a spline. A text gives a 1 in the feature of its
    level, or of its hash. A date gives its year, the days since 2000 began, and a 1 in the features of its
    month, its weekday and its hour: they are periodic, so no straight line fits them. A time of day
    gives the hours since midnight, and a 1 in the feature of its hour.
    """

    name: str
    kind: str  # one of KINDS
    fill: float = 0.0  # replaces a missing number, or a missing date, in days since 2000
    indicator: bool = False  # whether a feature is 1 where the value is missing
    levels: tuple[str, ...] = ()  # values of a text that have a feature each; of a date, its parts
    pooled: tuple[str, ...] = ()  # rare values of a text, which share one feature with values not seen before
    hashed: bool = False  # whether the values of a text are hashed
    year: bool = False  # whether the year of a date is a feature
    clock: bool = False  # whether a date is a time of day, on the same day in every row
    knots: tuple[float, ...] = ()  # of the spline of a number; none if it enters as a straight line
    n_missing: int = 0  # values missing in the training rows
    n_known: int = 0  # values in the training rows; 0 in files of models that were not told
    low: float = 0.0  # least and largest value in the training rows, a date in days since 2000
    high: float = 0.0

    @property
    def measures(self) -> list[str]:
        """Names of the numeric features, such as age."""
        if self.clock:
            return [f"{self.name} hours since midnight"]
        if self.kind == "date":
            return [*[f"{self.name} year"] * self.year, f"{self.name} days since {REFERENCE}"]
        if self.kind == "text":
            return []
        if not self.knots:
            return [self.name]
        # The features of a cubic spline add up to 1, so the last one is left out.
        return [f"{self.name} curve {k}" for k in range(1, len(self.knots) + 2)]

    @property
    def flags(self) -> list[str]:
        """Names of the features that are 0 or 1, such as city=Oslo."""
        between = " " if self.kind == "date" else "="
        levels = [f"{self.name}{between}{level}" for level in self.levels]
        pool = [f"{self.name}={OTHER}"] if self.pooled else []
        return [*levels, *pool, *([f"{self.name} is missing"] if self.indicator else [])]

    @property
    def is_plain(self) -> bool:
        """Whether the column is its only feature."""
        return self.kind == "number" and not self.knots and not self.indicator


class TableEncoding(NamedTuple):
    """How the columns of a table become features, for `read` and `stream`: ``encoding=table.encoding``."""

    columns: tuple[ColumnEncoding, ...] = ()  # numbers, then dates, then texts
    n_buckets: int = 0  # features that text is hashed to
    fills_missing: bool = False  # whether missing values are replaced; otherwise they are an error
    label: str | None = None  # a column that is no feature
    id: str | None = None  # a column that names the rows
    width: int | None = None  # columns of a table without names, which are found by their positions
    features: tuple[str, ...] | None = None  # order of the features, if not that of `generated_names`

    @property
    def generated_names(self) -> list[str]:
        """Names of the features in the order in which they are made: measures, flags, hashed text."""
        measures = [name for column in self.columns for name in column.measures]
        flags = [name for column in self.columns for name in column.flags]
        return [*measures, *flags, *(f"{HASH_PREFIX}{k}" for k in range(self.n_buckets))]

    @property
    def feature_names(self) -> list[str]:
        """Names of the features, in the order of the columns of X."""
        return self.generated_names if self.features is None else list(self.features)

    @property
    def order(self) -> list[int]:
        """The position of each feature in `generated_names`."""
        position = {name: k for k, name in enumerate(self.generated_names)}
        return [position[name] for name in self.feature_names]

    @property
    def is_plain(self) -> bool:
        """Whether X is the table as it is, with nothing but the columns of labels and IDs left out."""
        n_others = (self.label is not None) + (self.id is not None)
        all_used = self.width is None or len(self.columns) == self.width - n_others
        return all_used and self.features is None and all(column.is_plain for column in self.columns)

    def of_kind(self, *kinds: str) -> list[ColumnEncoding]:
        """The columns of some kinds."""
        return [column for column in self.columns if column.kind in kinds]

    def with_fills(self, fills: Any) -> "TableEncoding":
        """A copy with other fill values for the first columns: numbers, dates."""
        filled = [
            column._replace(fill=float(fill)) for column, fill in zip(self.columns, fills, strict=False)
        ]
        return self._replace(columns=(*filled, *self.columns[len(filled) :]))

    def with_missing(self, missing: str | None) -> "TableEncoding":
        """A copy with another choice of ``missing``: fill in the training values or 0, or raise an error."""
        if missing is None:
            return self
        if missing == "zero":
            n_measured = len(self.of_kind("number", "date"))
            return self.with_fills([0.0] * n_measured)._replace(fills_missing=True)
        return self._replace(fills_missing=missing != "error")

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for a model file; entries of columns that have their default are left out."""
        defaults = ColumnEncoding._field_defaults
        columns = [
            {key: value for key, value in column._asdict().items() if defaults.get(key) != value}
            for column in self.columns
        ]
        return self._asdict() | {"columns": columns}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "TableEncoding":
        """From what `to_dict` gave; a DataError if this version does not know it."""
        unknown = set(values) - set(cls._fields)
        for column in values["columns"]:
            unknown |= set(column) - set(ColumnEncoding._fields) or {column.get("kind")} - set(KINDS)
        if unknown:
            problem = f"its columns have {', '.join(sorted(map(str, unknown)))}"
            raise DataError(f"{problem}, which this version does not know", remedy="install a newer aucmax")
        columns = tuple(ColumnEncoding(**_with_tuples(column)) for column in values["columns"])
        return cls(**_with_tuples(values) | {"columns": columns})


def stored_encoding(reading: dict[str, Any]) -> TableEncoding | None:
    """The encoding in the options of a training, as a model file has them under ``reading`` in its summary.

    None for data other than tables, and for models that kept only the names of their features.
    """
    found = reading.get("encoding")
    return None if found is None else TableEncoding.from_dict(found)


def _with_tuples(values: dict[str, Any]) -> dict[str, Any]:
    """The values, with tuples in position of lists."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
