"""What kind of column an Arrow type is."""

import pyarrow as pa
import pytest

from aucmax.io.reading.columns import column_kind

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
