"""The sizes of the data sets, here and as the papers print them."""

from collections.abc import Callable

from ..experiments.job import Experiment
from ..experiments.tables import TABLES
from ..records import Records
from .comparison import PUBLISHED, read_printed
from .markdown import TEXTS, markdown_table

SIZES = read_printed("paper_sizes.txt", "x")["sizes"]


def data_section(records_of: Callable[[Experiment], Records]) -> str:
    """A line for each data set of each table: its size here and in the paper, and the share of positives."""
    lines = []
    for table in TABLES:
        positives = {record["data"]: record["positives"] for record in records_of(table).all}
        for data, sizes in SIZES.items():
            if (printed := sizes[table.name]) is None:
                continue
            here = "not available" if data in PUBLISHED[table.name] else "not in the table of results"
            share = "-"
            if problem := next((each for each in table.problems if each.name == data), None):
                here = _format_size(problem.n_rows, problem.n_features)
                if data in positives:
                    share = f"{100 * positives[data] / problem.n_rows:.2f} %"
            lines.append([table.name, data, _format_size(*printed), here, share])
    heads = ["table", "data", "printed", "here", "positive"]
    return "\n\n".join(["## Data sets", TEXTS["data sets"], markdown_table(heads, lines)])


def _format_size(rows: float, features: float) -> str:
    return f"{rows:,.0f} x {features:,.0f}"
