"""The papers' four tables: their problems, columns and protocols."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..methods import METHODS, REFERENCES
from ..problems import Problem
from ..protocol import SLOW_TUNING_ROWS, Protocol, evaluate_splits
from .job import Job, Record

QUICK_DATA = ("diabetes", "australian")


class Table(NamedTuple):
    """A table of test AUC: a row for each data set, a column for each method.

    ``variants`` are further columns, each with the paper's column that it is another version of; they are
    left out on the data sets ``without_variants``.
    """

    name: str
    title: str
    problems: tuple[Problem, ...]
    columns: tuple[str, ...]
    protocol: Protocol
    fewer_splits: tuple[str, ...] = ()  # data sets evaluated on ``FEWER_SPLITS`` only
    grid_of: tuple[tuple[str, str], ...] = ()  # methods that search the grid of another one
    variants: tuple[tuple[str, str], ...] = ()
    without_variants: tuple[str, ...] = ()
    from_random_halves: tuple[str, ...] = ()  # columns from another paper, with another choice of classes
    tuned_on_all_rows: tuple[tuple[str, str], ...] = ()  # data sets and methods, however many rows there are

    @property
    def all_columns(self) -> tuple[str, ...]:
        """The paper's columns, their variants, and the references."""
        return tuple(dict.fromkeys((*self.columns, *dict(self.variants), *REFERENCES)))

    def jobs(self, quick: bool) -> list[Job]:
        """One job for each cell; the largest data sets first, so that the last jobs are short."""
        problems = [p for p in self.problems if p.name in QUICK_DATA] if quick else self.problems
        return [
            Job(problem.name, column, n_splits, tuple(range(n_splits)))
            for problem in sorted(problems, key=lambda problem: problem.n_rows, reverse=True)
            for column in self.all_columns
            if not (problem.name in self.without_variants and column in dict(self.variants))
            for n_splits in [self.protocol_for(quick).n_splits(self._uses_fewer_splits(problem, column))]
        ]

    def compute_records(self, job: Job, done: list[Record], quick: bool, seed: int) -> Iterator[Record]:
        """The AUC and the times of each split, with the parameters chosen for it."""
        problem = self.problem(job.data)
        X, y = problem.load(seed)
        splits = self.protocol_for(quick).splits(y, seed, self._uses_fewer_splits(problem, job.method))
        finished = {record["split"]: json.loads(record["params"]) for record in done}
        size = {"rows": X.shape[0], "columns": X.shape[1], "positives": int(y.sum())}
        method = METHODS[job.method]._replace(grid=self.grid(job.method))
        method = method.with_coarse_grid() if quick else method
        if (job.data, job.method) in self.tuned_on_all_rows:
            method = method._replace(max_tuning_values=sys.maxsize)
        limit, source = self.protocol.tune_each_split_up_to, method.source_digest()
        for result in evaluate_splits(method, X, y, splits, finished, seed, limit, job.splits):
            yield {**size, **result._asdict(), "params": json.dumps(result.params), "source": source}

    def problem(self, name: str) -> Problem:
        """The problem of that name."""
        return next(problem for problem in self.problems if problem.name == name)

    def grid(self, column: str) -> Mapping[str, Sequence] | None:
        """The grid that is searched for a method in this table."""
        return METHODS[dict(self.grid_of).get(column, column)].grid

    def protocol_for(self, quick: bool) -> Protocol:
        """The paper's protocol, or a short one for quick runs."""
        return self.protocol._replace(repeats=1 if self.protocol.folds else 3) if quick else self.protocol

    def slow_cells(self) -> dict[str, list[str]]:
        """The methods that are slow on some data sets, and the names of these sets."""
        slow = {column: [p.name for p in self.problems if _is_slow(p, column)] for column in self.columns}
        return {column: names for column, names in slow.items() if names}

    def _uses_fewer_splits(self, problem: Problem, column: str) -> bool:
        return problem.name in self.fewer_splits or _is_slow(problem, column)


def _is_slow(problem: Problem, column: str) -> bool:
    return problem.n_rows > SLOW_TUNING_ROWS and METHODS[column].is_slow(problem.n_features)


_BINARY = (
    Problem("diabetes", ("diabetes",), "range"),
    Problem("fourclass", ("fourclass",), "range"),
    Problem("german", ("german.numer",), "range"),
)
_LARGE = (
    Problem("splice", ("splice", "splice.t"), "range"),
    Problem("usps", ("usps", "usps.t"), classes="halves"),
    Problem("a9a", ("a9a",)),
    Problem("mnist", ("mnist",), "max_abs", classes="halves"),
    Problem("ijcnn1", ("ijcnn1", "ijcnn1.t")),
    Problem("covtype", ("covtype",), "max_abs", classes="halves"),
)
_TEXT = (
    Problem("sector", ("sector.scale", "sector.t.scale"), classes="halves"),
    Problem("news20", ("news20",), classes="halves"),
)
_BASELINES = ("OPAUC", "OAMseq", "OAMgra", "online Uni-Exp", "B-SVM-OR", "B-LS-SVM")

TABLES = (
    Table(
        "solam-table3",
        "Table 3 of SOLAM (Ying, Wen and Lyu 2016)",
        _BINARY + _LARGE + _TEXT,
        ("SOLAM", *_BASELINES),
        Protocol(5, 5),
    ),
    Table(
        "spdam-table3",
        "Table 3 of SPDAM (Natole, Ying and Lyu 2019)",
        _BINARY + tuple(problem._replace(rows="centred") for problem in _LARGE) + _TEXT[:1],
        ("SPDAM", "regSOLAM", *_BASELINES),
        Protocol(5, 5),
        fewer_splits=("mnist", "covtype", "sector"),
        tuned_on_all_rows=(("covtype", "regSOLAM"),),
    ),
    Table(
        "vrspam-table1",
        "Table 1 of VRSPAM (Dan and Sahoo 2021)",
        (
            _BINARY[0],
            _BINARY[2],
            *(problem._replace(classes="parity") for problem in _LARGE[:2]),
            Problem("letter", ("letter.scale", "letter.scale.t"), classes="parity"),
            _LARGE[2],
            Problem("w8a", ("w8a", "w8a.t")),
            _LARGE[3]._replace(classes="parity"),
            _LARGE[4],
        ),
        ("VRSPAM-L2", "VRSPAM-NET", "SPAM-L2", "SPAM-NET", "regSOLAM", "OPAUC"),
        Protocol(20, 0),
        variants=(("SOLAM", "regSOLAM"),),
        from_random_halves=("SPAM-L2", "SPAM-NET", "regSOLAM", "SOLAM", "OPAUC"),
    ),
    Table(
        "sauc-table2",
        "Table 2 of SAUC (Yang, Shen, Ying and Yuan 2020)",
        (
            Problem("australian", ("australian",), "range"),
            Problem("cod-rna", ("cod-rna",)),
            Problem("dna", ("dna.scale",), classes="largest"),
            Problem("leu", ("leu",)),
            Problem("madelon", ("madelon",)),
            Problem("news20", ("news20",), classes="largest"),
            Problem("sector", ("sector.scale",), classes="largest"),
            Problem("skin_nonskin", ("skin_nonskin",), classes="largest"),
            Problem("svmguide1", ("svmguide1",)),
        ),
        ("SAUC-H", "SAUC-L", "OAMgra", "OPAUC", "SOLAM", "FSAUC", "SPAM-L2"),
        Protocol(10, 5, tune_each_split_up_to=0),
        grid_of=(("SOLAM", "SAUC-H"), ("FSAUC", "SAUC-H")),
        variants=(("SAUC-H gamma0", "SAUC-H"), ("SAUC-L gamma0", "SAUC-L")),
        without_variants=("news20", "sector", "skin_nonskin"),
    ),
)
