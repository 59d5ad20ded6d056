"""The sizes of the data sets, here and as the papers print them."""

from collections.abc import Callable
from importlib.resources import files

from ..experiments.job import Experiment
from ..experiments.tables import TABLES
from ..records import Records
from .comparison import PUBLISHED
from .markdown import TEXTS, markdown_table


def _read_printed() -> dict[str, dict[str, tuple[int, int]]]:
    """Rows and features by paper and data set, from ``paper_sizes.txt``."""
    printed: dict[str, dict[str, tuple[int, int]]] = {}
    for line in files(__package__).joinpath("paper_sizes.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            data, *sizes = line.split()
            for table, size in zip(TABLES, sizes, strict=True):
                if size != "-":
                    rows, features = map(int, size.split("x"))
                    printed.setdefault(table.name, {})[data] = (rows, features)
    return printed


PRINTED_SIZES = _read_printed()


def data_section(records_of: Callable[[Experiment], Records]) -> str:
    """A line for each data set of each table: its size here and in the paper, and the share of positives."""
    lines = []
    for table in TABLES:
        positives = {record["data"]: record["positives"] for record in records_of(table).all}
        for data, printed in PRINTED_SIZES[table.name].items():
            here = "not available" if data in PUBLISHED[table.name] else "not in the table of results"
            share = "-"
            if problem := next((each for each in table.problems if each.name == data), None):
                here = _format_size(problem.n_rows, problem.n_features)
                if data in positives:
                    share = f"{100 * positives[data] / problem.n_rows:.2f} %"
            lines.append([table.name, data, _format_size(*printed), here, share])
    heads = ["table", "data", "printed", "here", "positive"]
    return "\n\n".join(["## Data sets", TEXTS["data sets"], markdown_table(heads, lines)])


def _format_size(rows: int, features: int) -> str:
    return f"{rows:,} x {features:,}"
