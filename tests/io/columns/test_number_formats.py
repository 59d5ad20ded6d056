"""Numbers and dates as people write them: found in the first rows, and parsed in the same way afterwards."""

import datetime
import io
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aucmax.io import DataError, read, stream
from aucmax.io.columns.date_formats import to_dates
from aucmax.io.columns.number_formats import is_code, to_numbers
from aucmax.io.columns.options import ReadOptions
from aucmax.io.reading import csv as delimited
from aucmax.io.reading.column_types import find_types
from aucmax.io.reading.csv_lines import null_values


def text(content, label=None, **options):
    return read(io.BytesIO(content.encode()), label, format="csv", **options)


def column(*values):
    return pa.chunked_array([list(values)], pa.string())


NUMBERS = {
    ".": {
        "1,234.5": 1234.5,
        "1 234": 1234,
        "1\u202f234\u00a0567": 1234567,
        "1'234.50": 1234.5,
        ".5": 0.5,
        "5.": 5,
        "1e5": 1e5,
        "+7": 7,
        "0.000001": 1e-6,
        "−4": -4,
        "12.5 %": 12.5,
        "12.5%": 12.5,
        "$5": 5,
        "-€3": -3,
        "€ -4": -4,
        "5 EUR": 5,
        "USD 1,000,000": 1e6,
        "R$ 3": 3,
        "CA$1,000": 1000,
        **dict.fromkeys(["1,23", "1,2345", "12,34,567", "1.234.567", "1 23", "1,234,", "--5", "-$-5"]),
        **dict.fromkeys(["abc", "EUR", "5 apples", "%", "€"]),
    },
    ",": {
        "1.234,56 €": 1234.56,
        "12,5%": 12.5,
        "1234,5": 1234.5,
        "-0,5": -0.5,
        "1.234": 1234,
        "1.234.567": 1234567,
        "1.23": None,
        "31.12.2024": None,
        "1,234.5": None,
    },
}


@pytest.mark.parametrize("decimal", NUMBERS)
def test_numbers(decimal):
    numbers, bad = to_numbers(column(*NUMBERS[decimal], None), decimal)
    assert numbers.to_pylist() == [*NUMBERS[decimal].values(), None]
    assert bad.tolist() == [*(value is None for value in NUMBERS[decimal].values()), False]


@given(
    st.floats(-1e12, 1e12, allow_nan=False).map(lambda value: round(value, 2)),
    st.sampled_from([".", ","]),
    st.sampled_from(["{}", "{} €", "${}", "{} %", "EUR {}"]),
)
@settings(max_examples=300, deadline=None)
def test_numbers_come_back(value, decimal, form):
    written = f"{value:,.2f}"
    if decimal == ",":
        written = written.translate(str.maketrans(",.", ".,"))
    numbers, bad = to_numbers(column(form.format(written)), decimal)
    assert numbers.to_pylist() == [value]
    assert not bad.any()


def kinds(*columns, delimiter=";", **options):
    lines = "\n".join(delimiter.join(row) for row in zip(*columns, strict=True))
    names = [f"c{k}" for k in range(len(columns))]
    return find_types((lines + "\n").encode(), delimiter, names, null_values(None), ReadOptions(**options))


@pytest.mark.parametrize(
    ("values", "delimiter", "decimal", "kind"),
    [
        (["1,5", "2"], ";", ",", "number"),
        (["1.5", "2"], ";", ".", "number"),
        (["1.234", "950"], ";", ",", "formatted"),  # semicolons between columns suggest decimal commas
        (["1.234", "950"], "|", None, "number"),
        (["1,234", "950"], "|", None, "formatted"),
        (["1.234,5", "950"], "|", ",", "formatted"),
        (["1,234.5", "950"], ";", ".", "formatted"),
        (["12.5 %", "3 %"], ";", ".", "formatted"),
        (["0,123", "0,5"], "\t", ",", "number"),
        (["5", "7"], ";", None, "number"),
        (["01234", "98765"], ";", None, "text"),
        (["012", "98765"], ";", None, "number"),
        (["01", "12"], ";", None, "number"),
        (["2024-01-31", "2024-02-01"], ";", None, "date"),
        (["2024-01-31T10:00:00Z", "2024-02-01T10:00:00Z"], ";", None, "date"),
        (["31.12.24", "1.2.2024 9:30"], ";", None, "date"),
        (["12:30", "13:45"], ";", None, "date"),
        (["9:05 AM", "12:45 pm"], ";", None, "date"),
        (["12:30", "36:15"], ";", None, "text"),
        (["12/31/2024 9:05 PM", "1/2/2024 12:00 AM"], ",", None, "date"),
        (["true", "false"], ";", None, "boolean"),
        (["?", "-"], ";", None, "empty"),
        (["a", "b"], ";", None, "text"),
    ],
)
def test_types_of_columns(values, delimiter, decimal, kind):
    found = kinds(values, delimiter=delimiter)
    assert (found.decimal, found.types) == (decimal, [kind])


def test_most_columns_decide_the_decimal_mark():
    found = kinds(["1,5", "2,25"], ["7,5", "8"], ["1.5", "2.5"])
    assert (found.decimal, found.types) == (",", ["number", "number", "text"])


def test_day_or_month_first():
    assert kinds(["1/2/2024", "3/4/2024"]).day_first is False
    assert kinds(["1/2/2024", "3/4/2024"], ["1,5", "2,5"]).day_first is True
    assert kinds(["1/2/2024", "13/4/2024"]).day_first is True
    assert kinds(["1/2/2024", "3/14/2024"]).day_first is False
    assert kinds(["1/2/2024", "3/4/2024"], day_first=True).day_first is True
    assert kinds(["13/4/2024", "3/14/2024"]).types == ["text"]
    assert kinds(["2024-01-02", "2024-03-04"]).day_first is None


@given(st.datetimes(datetime.datetime(1930, 1, 1), datetime.datetime(2029, 12, 31, 23, 59)))
@settings(max_examples=200, deadline=None)
def test_dates_come_back(moment):
    day = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    minute = moment.replace(second=0, microsecond=0)
    written = {
        f"{moment:%Y-%m-%d}": day,
        f"{moment.year}/{moment.month}/{moment.day}": day,
        f"{moment:%d.%m.%Y}": day,
        f"{moment.day}.{moment.month}.{moment:%y}": day,
        f"{moment:%d/%m/%Y} {moment.hour}:{moment:%M}": minute,
        f"{moment:%d-%m-%y}": day,
        moment.isoformat(): moment,
        moment.isoformat(" ") + "+02:00": moment,
        f"{moment:%Y-%m-%dT%H:%M}Z": minute,
        f"{moment:%d/%m/%Y} {moment.hour % 12 or 12}:{moment:%M %p}": minute,
        f"{moment.hour}:{moment:%M}": minute.replace(year=1970, month=1, day=1),
        f"{moment:%I:%M%p}".lower(): minute.replace(year=1970, month=1, day=1),
    }
    found, bad = to_dates(column(*written), day_first=True)
    assert found.to_pylist() == list(written.values())
    assert not bad.any()
    american, bad = to_dates(column(f"{moment:%m/%d/%Y}", f"{moment:%d.%m.%Y}", None), day_first=False)
    assert american.to_pylist() == [day, day, None]
    assert not bad.any()


def test_what_is_no_date():
    for value in ("30.02.2024", "2024-13-01", "2024-02-30", "x", "1.2", "2024-01-01 25:00", "00.01.2024"):
        found, bad = to_dates(column(value, "1.2.2024"), day_first=True)
        assert found.to_pylist() == [None, datetime.datetime(2024, 2, 1)]
        assert bad.tolist() == [True, False]


@pytest.mark.parametrize(
    ("values", "mixed"),
    [
        (["12%", "0.12"], True),
        (["12 %", "15", "3 %"], True),
        (["12 %", "0", "-0.0", "3 %"], False),
        (["12 %", "3%"], False),
        (["$1,200", "3,000"], False),
    ],
)
def test_numbers_with_and_without_percent_signs(values, mixed):
    rows = "".join(f'"{value}",{k % 2}\n' for k, value in enumerate(values * 20))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text("rate,y\n" + rows, "y", check_columns=True)
    found = "column 'rate' has numbers with and without %, and 12 % is read as 12, not 0.12; write them all"
    assert any(found in str(each.message) for each in caught) == mixed


def test_codes():
    assert is_code(column("01234", None, "98765"))
    assert not is_code(column("1234", "98765"))
    assert not is_code(column("0123", "98765"))
    assert not is_code(column("00", "01"))
    assert not is_code(column(None))


ROWS = "id;amount;share;y\n" + "".join(f"{k};{k}.{k + 100}.500,25 €;{k},5 %;{k % 2}\n" for k in range(1, 10))


def test_a_table_of_decorated_numbers():
    table = text(ROWS, "y")
    k = np.arange(1, 10)
    np.testing.assert_array_equal(table.X, np.c_[k, k * 1_000_000 + (k + 100) * 1000 + 500.25, k + 0.5])
    assert table.found == {"decimal": ",", "day_first": None}
    later = "id;amount;share;y\n1;1.234;5 %;0\n"  # alone it would be read otherwise
    assert text(later, "y", **table.found).X.tolist() == [[1, 1234, 5]]


@pytest.mark.parametrize("cell", ["1,5 €", "many", "1.5"])
def test_a_later_cell_that_is_no_number_is_a_bad_row(monkeypatch, cell):
    monkeypatch.setattr(delimited, "SAMPLE", 6)
    good = "".join(f"{k}.500 €;{k}\n" for k in range(1, 8))
    content = "amount;y\n" + good + f"{cell.replace('1,5', '1,5 €')};1\n" + "2.000;0\n"
    for consume in (
        text,
        lambda *given: list(stream(io.BytesIO(given[0].encode()), 3, given[1], format="csv")),
    ):
        with pytest.raises(
            DataError,
            match="line 9: .* in column 'amount' is not a number; correct the line, take the column as text "
            'with categorical_columns=\\["amount"\\], name such texts with na_values',
        ):
            consume(content, "y")
        table = text("amount;y\n" + good, "y")
        for options in ({"encoding": table.encoding}, {"numeric_columns": ["amount"]}):
            with pytest.raises(DataError, match="is not a number; correct the line, name such texts"):
                text(content, "y", **options)
    table = text(content, "y", on_bad_rows="skip")
    assert (table.skipped, len(table.y)) == (1, 8)
    chunks = list(stream(io.BytesIO(content.encode()), 3, "y", format="csv", on_bad_rows="skip"))
    np.testing.assert_array_equal(np.vstack([chunk.X for chunk in chunks]), table.X)


@pytest.mark.parametrize(("decimal", "other", "mark"), [(".", ",", "comma"), (",", ".", "point")])
def test_numbers_with_the_other_decimal_mark(decimal, other, mark):
    rows = "".join(f"{k}.25;0{k}1;{k % 2}\n" for k in range(1, 10))
    content = "amount;code;y\n" + rows.replace(".", other)
    problem = f"the numbers in column 'amount' have a decimal {mark}, so they are read as text"
    remedy = f'; give decimal="{other}" to read them'
    with pytest.warns(UserWarning, match="decimal") as caught:
        text(content, "y", decimal=decimal, categorical="onehot", check_columns=True)
    assert [str(warning.message) for warning in caught] == [f"{problem}{remedy} as numbers."]
    encoding = text(content, "y", categorical="onehot").encoding
    with pytest.raises(DataError) as refused:
        text(content, encoding=encoding, decimal=decimal)
    assert str(refused.value).endswith(f"{problem}{remedy}.")
    assert text(content, encoding=encoding, decimal=other).X.shape == (9, 10)


def test_dates_of_several_forms_in_a_column():
    moments = [datetime.date(2024, 5, 1 + 3 * k) for k in range(8)]
    forms = ["%Y-%m-%d", "%d/%m/%Y", "%d.%m.%Y", "%Y/%m/%d"]
    rows = "".join(f"{moment:{forms[k % 4]}};{k % 2}\n" for k, moment in enumerate(moments))
    table = text("joined;y\n" + rows, "y")
    days = table.X[:, table.feature_names.index("joined days since 2000-01-01")]
    assert days.tolist() == [(moment - datetime.date(2000, 1, 1)).days for moment in moments]


def test_a_table_without_labels():
    problem = "line 2: none of the 3 rows from here on has a label in column 'y'; give rows with labels"
    with pytest.raises(DataError, match=problem):
        text("a,y\n1,\n2,NA\n3,\n", "y")
    with pytest.raises(DataError, match="line 2: no label in column 'y'"):
        text("a,y\n1,\n2,NA\n3,u\n", "y")


def test_labels_are_not_missing_values():
    assert text("a,y\n1,+\n2,-\n3,+\n", "y").y.tolist() == ["+", "-", "+"]
    assert text("a,y\n1,None\n2,Some\n", "y").y.tolist() == ["None", "Some"]
    with pytest.raises(DataError, match="line 3: no label in column 'y'"):
        text("a,y\n1,u\n2,NA\n", "y")


def test_missing_values_by_default():
    for mark in ("", "?", "-", "NA", "N/A", "null", "None", "n.a.", "#DIV/0!", " ? "):
        table = text(f"a,t,y\n1,u,0\n{mark},{mark},1\n3,v,0\n", "y", missing="mean", categorical="onehot")
        np.testing.assert_array_equal(table.X.toarray(), [[1, 1, 0], [2, 0, 0], [3, 0, 1]])
