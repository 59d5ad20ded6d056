"""CSV and TSV, one row a line, through pyarrow's parser; lines that it refuses are read one by one."""

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv

from ...validation.errors import DataError
from .arrow import pyarrow_errors
from .columns import is_text, kind_of
from .csv_lines import Layout, parse_lines, split, well_formed
from .encoder import Encoder, TableReader
from .lines import Lines, parse_number
from .options import ReadOptions
from .reader import Chunk, check_start, no_rows
from .schema import check_distinct, table_schema
from .source import Source

SAMPLE = 1000  # lines in which numbers are told from text
_DELIMITERS = ",;\t|"
_QUOTED = re.compile('"[^"]*"')
_BOM = b"\xef\xbb\xbf"


class CSVReader(TableReader):
    """Reads delimited text; the first line may have the names of the columns."""

    def __init__(self, source: Source, options: ReadOptions, streaming: bool) -> None:
        self._options = options
        self._lines = lines = Lines(source)
        if source.head.startswith(_BOM):
            lines.go(len(_BOM), 1)
        while not (first := lines.look(1)).strip():
            if not lines.take(1):
                raise no_rows(0)
        text = _checked_header(first)
        delimiter = "\t" if source.format.name == "tsv" else max(_DELIMITERS, key=_QUOTED.sub("", text).count)
        names = [name.strip() for name in split(text, delimiter) or [text]]
        types = _types(lines.look(SAMPLE)[len(first) :], delimiter, len(names))
        named = _is_header(names, types)
        if named:
            lines.take(1)
            check_distinct(names, "two columns are called", "rename one")
        else:
            names = [f"column {k + 1}" for k in range(len(names))]
            types = _types(lines.look(SAMPLE), delimiter, len(names))
        kinds = {
            name: "number" if kind_of(kind) == "number" else "text"
            for name, kind in zip(names, types, strict=True)
        }
        booleans = {name for name, kind in zip(names, types, strict=True) if pa.types.is_boolean(kind)}
        self._layout = Layout(delimiter, names, booleans)
        schema = table_schema(kinds, options, named, streaming)
        number = {name: pa.bool_() if name in booleans else pa.float64() for name in schema.numbers}
        place = {name: str(k) for k, name in enumerate(names)}
        self._types = {place[name]: number.get(name, pa.string()) for name in schema.columns}
        self.encoder = Encoder(schema, options)

    def read(self) -> tuple[Any, np.ndarray | None]:
        """X and y of the whole file."""
        return self._encode(self._lines.rest(), self._lines.line, threads=True)

    def chunks(self, batch_size: int, start: Any) -> Iterator[Chunk]:
        """The rows after ``start``, ``batch_size`` lines at a time."""
        state = check_start(start, {"byte", "line", "labels", "sums", "counts"})
        if state:
            self.encoder.restore(state)
            self._lines.go(state["byte"], state["line"])
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
        if b"\r" not in text:  # pyarrow takes it for a line break
            try:
                table = _parse(text, self._layout.delimiter, len(self._layout.columns), self._types, threads)
            except pa.ArrowInvalid:
                table = None
        numbers: Any = np.flatnonzero(_line_lengths(text)) + line
        if table is None or table.num_rows != len(numbers):  # fewer rows than lines: a line break in quotes
            skip = self._options.skip_bad_rows
            table, numbers, n_bad = parse_lines(text, line, self._layout, self.schema, skip)
            self.encoder.skipped += n_bad
        else:
            table = table.rename_columns(self.schema.columns)
        with pyarrow_errors():
            return self.encoder.encode(table, lambda row: f"line {numbers[row]}")


def _checked_header(first: bytes) -> str:
    """The first line as text."""
    text = first.decode("utf-8", "backslashreplace").strip("\r\n")
    if "\0" in text:
        raise DataError("it is not UTF-8 text", remedy="save it as UTF-8")
    if "\r" in text and b"\n" not in first:
        raise DataError("its lines end in carriage returns alone", remedy="save it with line feeds")
    return text


def _is_header(names: list[str], types: list[pa.DataType]) -> bool:
    """Whether the first line has only words, or a word above a column of numbers."""
    words = [bool(name) and parse_number(name) is None for name in names]
    if any(words) and all(word or not name for word, name in zip(words, names, strict=True)):
        return True
    return any(
        word and kind_of(kind) == "number" and not pa.types.is_null(kind)
        for word, kind in zip(words, types, strict=True)
    )


def _types(sample: bytes, delimiter: str, n_columns: int) -> list[pa.DataType]:
    """The Arrow types that fit the first rows, leaving out those that are malformed."""
    try:
        table = _parse(sample, delimiter, n_columns, {}, threads=False)
    except pa.ArrowInvalid:
        sample = well_formed(sample, delimiter, n_columns)
        if not sample:
            return [pa.null()] * n_columns
        table = _parse(sample, delimiter, n_columns, {}, threads=False)
    return [pa.float64() if _mostly_numbers(column) else column.type for column in table.columns]


def _mostly_numbers(column: Any) -> bool:
    """Whether text is so rare in a column that it must be a mistake."""
    values = column.drop_null().to_pylist() if is_text(column.type) else []
    return bool(values) and sum(parse_number(value) is not None for value in values) >= 0.9 * len(values)


def _parse(text: bytes, delimiter: str, n_columns: int, types: dict[str, pa.DataType], threads: bool) -> Any:
    """The lines as an Arrow table whose columns are called 0, 1, ...; only those in ``types`` if any are."""
    longest = int(_line_lengths(text).max(initial=0))
    return pyarrow.csv.read_csv(
        pa.BufferReader(text),
        read_options=pyarrow.csv.ReadOptions(
            use_threads=threads,
            block_size=min(max(1 << 20, 4 * longest), 2**31 - 1),
            column_names=[str(k) for k in range(n_columns)],
        ),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=types, include_columns=list(types), strings_can_be_null=True
        ),
    )


def _line_lengths(text: bytes) -> np.ndarray:
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 10)
    return np.diff(ends, prepend=-1, append=len(text)) - 1
