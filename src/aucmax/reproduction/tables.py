"""The papers' four tables: their problems, columns and protocols."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from .. import datasets
from .experiment import Job
from .methods import METHODS, OURS, powers
from .partitions import Partitions
from .problems import Problem
from .protocol import SLOW_TUNING_ROWS, Protocol, judged

QUICK = ("diabetes", "australian")


class Table(NamedTuple):
    """A table of test AUC: data sets down, methods across."""

    name: str
    title: str
    paper: str  # its key among the printed numbers
    problems: tuple[Problem, ...]
    columns: tuple[str, ...]
    protocol: Protocol
    few: tuple[str, ...] = ()  # data sets with fewer splits
    grids: tuple[tuple[str, Mapping[str, Sequence]], ...] = ()  # where not those of the method's own paper

    def jobs(self, quick: bool) -> list[Job]:
        """One for each cell; the largest data sets first, so that the last to end are short ones."""
        problems = [p for p in self.problems if p.name in QUICK] if quick else self.problems
        return [
            Job(problem.name, column, self.splitting(quick).count(self._is_short(problem, column)))
            for problem in sorted(problems, key=_rows, reverse=True)
            for column in (*self.columns, *OURS)
        ]

    def work(self, job: Job, done: list[dict[str, Any]], quick: bool, seed: int) -> Iterator[dict[str, Any]]:
        """Each split's AUC and times, with the parameters chosen for it."""
        problem = self.problem(job.data)
        X, y = problem.load(seed)
        splits = self.splitting(quick).splits(y, self._is_short(problem, job.method), seed)
        known = {record["split"]: json.loads(record["params"]) for record in done}
        size = {"rows": X.shape[0], "columns": X.shape[1], "positives": int(y.sum())}
        method = METHODS[job.method]
        method = method._replace(grid=dict(self.grids).get(job.method, method.grid))
        method = method.thinned() if quick else method
        for fit in judged(method, X, y, splits, known, seed, self.protocol.tuned_rows):
            yield {**size, **fit._asdict(), "params": json.dumps(fit.params)}

    def problem(self, name: str) -> Problem:
        """The problem of that name."""
        return next(problem for problem in self.problems if problem.name == name)

    def splitting(self, quick: bool) -> Protocol:
        """The paper's protocol, or a short one."""
        return self.protocol._replace(repeats=1 if self.protocol.folds else 3) if quick else self.protocol

    def _is_short(self, problem: Problem, column: str) -> bool:
        return problem.name in self.few or _slow(problem, column)

    def slow_ones(self) -> dict[str, list[str]]:
        """The data sets on which a method gets fewer splits, by method."""
        wide = {c: [p.name for p in self.problems if _slow(p, c)] for c in self.columns}
        return {column: names for column, names in wide.items() if names}


def _rows(problem: Problem) -> int:
    return sum(datasets.HOMES[name].n_rows for name in problem.files)


def _slow(problem: Problem, column: str) -> bool:
    if _rows(problem) <= SLOW_TUNING_ROWS:
        return False
    return datasets.HOMES[problem.files[0]].n_features >= METHODS[column].slow_from


_BINARY = (
    Problem("diabetes", ("diabetes",), "range"),
    Problem("fourclass", ("fourclass",), "range"),
    Problem("german", ("german.numer",), "range"),
)
_LARGE = (
    Problem("splice", ("splice", "splice.t"), "range"),
    Problem("usps", ("usps", "usps.t"), classes="halves"),
    Problem("a9a", ("a9a",)),
    Problem("mnist", ("mnist",), "largest", classes="halves"),
    Problem("ijcnn1", ("ijcnn1", "ijcnn1.t")),
    Problem("covtype", ("covtype",), "largest", classes="halves"),
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
        "SOLAM",
        _BINARY + _LARGE + _TEXT,
        ("SOLAM", *_BASELINES),
        Protocol(5, 5),
    ),
    Table(
        "spdam-table3",
        "Table 3 of SPDAM (Natole, Ying and Lyu 2019)",
        "SPDAM",
        _BINARY + tuple(problem._replace(rows="centred") for problem in _LARGE) + _TEXT[:1],
        ("SPDAM", "regSOLAM", *_BASELINES),
        Protocol(5, 5),
        few=("mnist", "covtype", "sector"),
    ),
    Table(
        "vrspam-table1",
        "Table 1 of VRSPAM (Dan and Sahoo 2021)",
        "VRSPAM",
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
        ("VRSPAM-L2", "VRSPAM-NET", "SPAM-L2", "SPAM-NET", "SOLAM", "OPAUC"),
        Protocol(20, 0),
    ),
    Table(
        "sauc-table2",
        "Table 2 of SAUC (Yang, Shen, Ying and Yuan 2020)",
        "SAUC",
        (
            Problem("australian", ("australian",), "range"),
            Problem("cod-rna", ("cod-rna",)),
            Problem("dna", ("dna.scale",), classes="last"),
            Problem("leu", ("leu",)),
            Problem("madelon", ("madelon",)),
            Problem("news20", ("news20",), classes="last"),
            Problem("sector", ("sector.scale",), classes="last"),
            Problem("skin_nonskin", ("skin_nonskin",), classes="last"),
            Problem("svmguide1", ("svmguide1",)),
        ),
        ("SAUC-H", "SAUC-L", "OAMgra", "OPAUC", "SOLAM", "FSAUC", "SPAM-L2"),
        Protocol(10, 5, tuned_rows=0),
        grids=(("SOLAM", {"radius": powers(10.0, -2, 2), "step_size": powers(10.0, -2, 2)}),),
    ),
)

PARTITIONS = Partitions(
    "partitions",
    "Random halves of the classes",
    tuple(
        problem
        for table in TABLES[:2]
        for problem in table.problems
        if problem.classes == "halves" and (table.name, problem.name) != ("spdam-table3", "sector")
    ),
)
