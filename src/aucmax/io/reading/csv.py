"""CSV and TSV, one row a line, through pyarrow's parser; what it refuses is looked at line by line."""

import re
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from .arrow import complaints
from .encoder import Encoder, is_text, kind_of
from .lines import Lines
from .options import Chunk, Options, Table, check_start, no_rows
from .schema import make_plan
from .slowrows import Layout, fields, is_number, parse_slowly, well_formed
from .source import Source, failure, need, quoted

SAMPLE = 1000  # lines that tell numbers from text
_DELIMITERS = ",;\t|"
_QUOTED = re.compile('"[^"]*"')
_BOM = b"\xef\xbb\xbf"


def read(source: Source, options: Options) -> Table:
    """The whole source as one table."""
    lines, layout, encoder = _begun(source, options, streaming=False)
    X, y, skipped = _encoded(lines.rest(), lines.line, layout, encoder, threads=True)
    if not X.shape[0]:
        raise no_rows(source.name, skipped)
    return Table(X, y, encoder.feature_names, skipped)


def stream(source: Source, batch_size: int, options: Options, start: Any) -> Generator[Chunk, None, int]:
    """Chunks of ``batch_size`` lines; at the end, how many rows were left out after the last one."""
    state = check_start(start, {"byte", "line", "labels", "sums", "counts"})
    lines, layout, encoder = _begun(source, options, streaming=True)
    if state:
        encoder.restore(state)
        lines.go(state["byte"], state["line"])
    skipped, empty = 0, not state
    while True:
        line = lines.line
        text = lines.take(batch_size)
        if not text:
            break
        X, y, n_bad = _encoded(text, line, layout, encoder, threads=False)
        skipped += n_bad
        if X.shape[0]:
            yield Chunk(X, y, encoder.feature_names, lines.position() | encoder.state(), skipped)
            skipped, empty = 0, False
    if empty:
        raise no_rows(source.name, skipped)
    return skipped


def _begun(source: Source, options: Options, streaming: bool) -> tuple[Lines, Layout, Encoder]:
    """Lines from the first row on, how they are to be read, and what becomes of them."""
    need("pyarrow", f"Reading {source.name}")
    lines = Lines(source)
    if source.head.startswith(_BOM):
        lines.go(len(_BOM), 1)
    while not (first := lines.look(1)).strip():
        if not lines.take(1):
            raise no_rows(source.name, 0)
    text = first.decode("utf-8", "backslashreplace").strip("\r\n")
    if "\0" in text:
        raise failure(source.name, "", "it is not UTF-8 text", "save it as UTF-8")
    if "\r" in text and b"\n" not in first:
        raise failure(source.name, "", "its lines end in carriage returns alone", "save it with line feeds")
    delimiter = "\t" if source.format == "tsv" else max(_DELIMITERS, key=_QUOTED.sub("", text).count)
    names = [name.strip() for name in fields(text, delimiter) or [text]]
    types = _types(lines.look(SAMPLE)[len(first) :], delimiter, len(names))
    named = _is_header(names, types)
    if named:
        lines.take(1)
        _check_names(names, source.name)
    else:
        names = [f"column {k + 1}" for k in range(len(names))]
        types = _types(lines.look(SAMPLE), delimiter, len(names))
    kinds = {
        name: "number" if kind_of(kind) == "number" else "text"
        for name, kind in zip(names, types, strict=True)
    }
    flags = {name for name, kind in zip(names, types, strict=True) if str(kind) == "bool"}
    plan = make_plan(source.name, kinds, options, streaming)
    layout = Layout(source.name, delimiter, names, flags, plan, options.skip)
    return lines, layout, Encoder(source.name, plan, options, named)


def _is_header(names: list[str], types: list[Any]) -> bool:
    """Whether the first line has only words, or a word above a column of numbers."""
    words = [bool(name) and not is_number(name) for name in names]
    above = (kind_of(kind) == "number" and str(kind) != "null" for kind in types)
    return (all(word or not name for word, name in zip(words, names, strict=True)) and any(words)) or any(
        word and number for word, number in zip(words, above, strict=True)
    )


def _check_names(names: list[str], name: str) -> None:
    seen = set()
    for column in names:
        if column in seen:
            raise failure(name, "", f"two columns are called {quoted(column)}", "rename one")
        seen.add(column)


def _types(sample: bytes, delimiter: str, n_columns: int) -> list[Any]:
    """The Arrow types that fit the first rows, leaving out those that are malformed."""
    pa = need("pyarrow", "Reading tables")
    try:
        table = _arrow(sample, delimiter, n_columns, {}, threads=False)
    except pa.ArrowInvalid:
        sample = well_formed(sample, delimiter, n_columns)
        if not sample:
            return [pa.null()] * n_columns
        table = _arrow(sample, delimiter, n_columns, {}, threads=False)
    return [pa.float64() if _mostly_numbers(column) else column.type for column in table.columns]


def _mostly_numbers(column: Any) -> bool:
    """Whether text is so rare in a column that it must be a mistake."""
    values = [value for value in column.to_pylist() if value is not None] if is_text(column.type) else []
    return bool(values) and sum(map(is_number, values)) >= 0.9 * len(values)


def _arrow(text: bytes, delimiter: str, n_columns: int, types: dict[str, Any], threads: bool) -> Any:
    """The lines as an Arrow table whose columns are called 0, 1, ...; those in ``types`` if there are any."""
    pa, csv = need("pyarrow", "Reading tables"), need("pyarrow.csv", "Reading tables")
    longest = int(_line_lengths(text).max(initial=0))
    return csv.read_csv(
        pa.BufferReader(text),
        read_options=csv.ReadOptions(
            use_threads=threads,
            block_size=min(max(1 << 20, 4 * longest), 2**31 - 1),
            column_names=[str(k) for k in range(n_columns)],
        ),
        parse_options=csv.ParseOptions(delimiter=delimiter),
        convert_options=csv.ConvertOptions(
            column_types=types, include_columns=list(types), strings_can_be_null=True
        ),
    )


def _line_lengths(text: bytes) -> np.ndarray:
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 10)
    return np.diff(ends, prepend=-1, append=len(text)) - 1


def _encoded(text: bytes, line: int, layout: Layout, encoder: Encoder, threads: bool) -> tuple[Any, Any, int]:
    """``(X, y, skipped)`` of a text whose first line has the number ``line``."""
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    pa = need("pyarrow", "Reading tables")
    types = _wanted_types(layout)
    table, malformed = None, 0
    if b"\r" not in text:  # pyarrow takes it for a line break
        try:
            table = _arrow(text, layout.delimiter, len(layout.columns), types, threads)
        except pa.ArrowInvalid:
            table = None
    numbers: Any = np.flatnonzero(_line_lengths(text)) + line
    if table is None or table.num_rows != len(numbers):  # fewer rows than lines: a line break in quotes
        table, numbers, malformed = parse_slowly(text, line, layout)
    else:
        table = table.rename_columns(layout.used())
    place: Callable[[int], str] = lambda row: f"line {numbers[row]}"  # noqa: E731
    with complaints(layout.name):
        X, y, n_bad = encoder.encode(table, place)
    return X, y, malformed + n_bad


def _wanted_types(layout: Layout) -> dict[str, Any]:
    pa = need("pyarrow", "Reading tables")
    place = {column: str(k) for k, column in enumerate(layout.columns)}
    plan = layout.plan
    types = {place[name]: pa.bool_() if name in layout.flags else pa.float64() for name in plan.numbers}
    return types | {place[name]: pa.string() for name in layout.used()[len(plan.numbers) :]}
