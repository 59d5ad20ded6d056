"""What kind of column an Arrow type is."""

import numpy as np
import pyarrow as pa
import pytest

from aucmax.io.columns.arrow_values import as_days, column_kind

KINDS = {
    "number": [
        pa.int8(),
        pa.uint64(),
        pa.float32(),
        pa.decimal128(9, 2),
        pa.bool_(),
        pa.null(),
        pa.duration("s"),
    ],
    "text": [pa.string(), pa.large_string(), pa.string_view()],
    "date": [
        pa.date32(),
        pa.date64(),
        pa.timestamp("s"),
        pa.timestamp("ns", "Europe/Berlin"),
        pa.time32("s"),
        pa.time64("ns"),
    ],
    "binary": [pa.binary()],
}


@pytest.mark.parametrize(("kind", "dtype"), [(kind, dtype) for kind, each in KINDS.items() for dtype in each])
def test_kinds(kind, dtype):
    assert column_kind(dtype) == kind
    if kind in ("number", "text", "date") and dtype != pa.null() and dtype != pa.string_view():
        assert column_kind(pa.dictionary(pa.int32(), dtype)) == kind


def test_dates_in_text_have_the_forms_of_csv():
    texts = ["2024-12-31", "31.12.2024 9:05", "2024/12/31", None, "tomorrow", "12/31/2024", "30.02.2024"]
    values = pa.chunked_array([texts], pa.string())
    day = np.datetime64("2024-12-31").astype(int)
    days, bad = as_days(values)
    np.testing.assert_allclose(days, [day, day + (9 + 5 / 60) / 24, day, *[np.nan] * 4], rtol=1e-15)
    assert bad.tolist() == [False, False, False, False, True, True, True]
    for day_first, expected in ((False, day), (True, np.nan)):
        days, bad = as_days(values, day_first)
        np.testing.assert_array_equal(days[5], expected)
        assert bad[5] == day_first
