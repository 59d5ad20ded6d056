"""CSV and TSV by pyarrow; text that it refuses is parsed line by line, to find the bad lines."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ...validation.errors import DataError
from .arrow import pyarrow_errors
from .columns import column_kind
from .csv_lines import Layout, parse_lines, split_line, well_formed_lines
from .encoder import Encoder, TableReader
from .lines import Lines, parse_number
from .options import ReadOptions
from .reader import Chunk, check_start, no_rows
from .schema import check_distinct, table_schema
from .source import Source

SAMPLE = 1000  # lines from which the types of the columns are inferred
_DELIMITERS = ",;\t|"
_QUOTED = re.compile('"[^"]*"')
_BOM = b"\xef\xbb\xbf"


class CSVReader(TableReader):
    """Reads delimited text, with or without a header."""

    def __init__(self, source: Source, options: ReadOptions, streaming: bool) -> None:
        self._options = options
        self._lines = lines = Lines(source)
        if source.head.startswith(_BOM):
            lines.seek(len(_BOM), 1)
        while not (first := lines.peek(1)).strip():
            if not lines.take(1):
                raise no_rows(0)
        text = _decode_header(first)
        delimiter = "\t" if source.format.name == "tsv" else max(_DELIMITERS, key=_QUOTED.sub("", text).count)
        names = [name.strip() for name in split_line(text, delimiter) or [text]]
        types = _infer_types(lines.peek(SAMPLE)[len(first) :], delimiter, len(names))
        has_header = _is_header(names, types)
        if has_header:
            lines.take(1)
            check_distinct(names, "two columns are called", "rename one")
        else:
            names = [f"column {k + 1}" for k in range(len(names))]
            types = _infer_types(lines.peek(SAMPLE), delimiter, len(names))
        dtypes = dict(zip(names, types, strict=True))
        kinds = {name: "number" if column_kind(dtypes[name]) == "number" else "text" for name in names}
        booleans = {name for name in names if pa.types.is_boolean(dtypes[name])}
        self._layout = Layout(delimiter, names, booleans)
        schema = table_schema(kinds, options, has_header, streaming)
        numbers = {name: pa.bool_() if name in booleans else pa.float64() for name in schema.numbers}
        self._types = {name: numbers.get(name, pa.string()) for name in schema.columns}
        self.encoder = Encoder(schema, options)

    def read(self) -> tuple[Any, np.ndarray | None]:
        """X and y of the whole file."""
        return self._encode(self._lines.read_rest(), self._lines.line, threads=True)

    def chunks(self, batch_size: int, start: Any) -> Iterator[Chunk]:
        """The rows after ``start``, ``batch_size`` lines at a time."""
        state = check_start(start, {"byte", "line", "labels", "sums", "counts"})
        if state:
            self.encoder.restore(state)
            self._lines.seek(state["byte"], state["line"])
        for text, line in self._lines.batches(batch_size):
            X, y = self._encode(text, line, threads=False)
            if X.shape[0]:
                position = self._lines.position() | self.encoder.state()
                yield Chunk(X, y, self.schema.feature_names, position)

    def _encode(self, text: bytes, line: int, threads: bool) -> tuple[Any, np.ndarray | None]:
        """X and y of a text whose first line has the number ``line``."""
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n")
        table = None
        if b"\r" not in text:  # pyarrow takes a lone carriage return for a line break
            with suppress(pa.ArrowInvalid):
                table = _parse(text, self._layout.delimiter, self._layout.columns, self._types, threads)
        line_numbers: Any = np.flatnonzero(_line_lengths(text)) + line
        if table is None or table.num_rows != len(line_numbers):  # fewer rows: a line break in quotes
            skip = self._options.skip_bad_rows
            table, line_numbers, n_bad = parse_lines(text, line, self._layout, self.schema, skip)
            self.encoder.skipped += n_bad
        with pyarrow_errors():
            return self.encoder.encode(table, lambda row: f"line {line_numbers[row]}")


def _decode_header(first: bytes) -> str:
    """The first line as text; an error if it is not UTF-8 or has no line feed."""
    text = first.decode("utf-8", "backslashreplace").strip("\r\n")
    if "\0" in text:
        raise DataError("it is not UTF-8 text", remedy="save it as UTF-8")
    if "\r" in text and b"\n" not in first:
        raise DataError("its lines end in carriage returns alone", remedy="save it with line feeds")
    return text


def _is_header(names: list[str], types: list[pa.DataType]) -> bool:
    """Whether the first line has only words (or nothing), or a word above a column of numbers."""
    words = [bool(name) and parse_number(name) is None for name in names]
    if any(words) and all(word or not name for word, name in zip(words, names, strict=True)):
        return True
    return any(
        word and column_kind(dtype) == "number" and not pa.types.is_null(dtype)
        for word, dtype in zip(words, types, strict=True)
    )


def _infer_types(sample: bytes, delimiter: str, n_columns: int) -> list[pa.DataType]:
    """The Arrow types of the columns in the first rows; malformed rows are left out."""
    names = [str(k) for k in range(n_columns)]
    try:
        table = _parse(sample, delimiter, names, {}, threads=False)
    except pa.ArrowInvalid:
        sample = well_formed_lines(sample, delimiter, n_columns)
        if not sample:
            return [pa.null()] * n_columns
        table = _parse(sample, delimiter, names, {}, threads=False)
    return [pa.float64() if _mostly_numbers(column) else column.type for column in table.columns]


def _mostly_numbers(column: Any) -> bool:
    """Whether at most a tenth of the values are text, which is then taken for mistakes."""
    values = column.drop_null().to_pylist() if column_kind(column.type) == "text" else []
    return bool(values) and sum(parse_number(value) is not None for value in values) >= 0.9 * len(values)


def _parse(
    text: bytes, delimiter: str, names: list[str], types: dict[str, pa.DataType], threads: bool
) -> pa.Table:
    """The lines as an Arrow table: the columns in ``types``, or all with inferred types if there are none."""
    longest = int(_line_lengths(text).max(initial=0))
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        read_options=pyarrow.csv.ReadOptions(
            use_threads=threads,
            block_size=min(max(1 << 20, 4 * longest), 2**31 - 1),
            column_names=names,
        ),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=list(types), strings_can_be_null=True
        ),
    )


def _line_lengths(text: bytes) -> np.ndarray:
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 10)
    return np.diff(ends, prepend=-1, append=len(text)) - 1
