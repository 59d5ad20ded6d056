"""The papers' figures, and two that they could not draw."""

from .figure import Degrees, Figure, Line
from .optimum import Optimum
from .problems import Problem
from .rates import Rates
from .tables import TABLES

_SOLAM, _SPDAM, _VRSPAM, _SAUC = TABLES


def _named(table, *names: str) -> tuple[Problem, ...]:
    return tuple(table.problem(name) for name in names)


def _own(*methods: str) -> tuple[Line, ...]:
    return tuple(Line(method, method) for method in methods)


def _batch(label: str, size: float) -> Line:
    return Line(f"SPDAM, {label}", "SPDAM", (("batch_size", size),), like="SPDAM")


_TEXT = _named(_SAUC, "dna", "news20", "sector")
_LARGE = (*_named(_SOLAM, "a9a", "covtype"), *_named(_VRSPAM, "w8a", "ijcnn1"))
_STREAMS = _own("FSAUC", "SOLAM", "OPAUC", "OAMseq", "OAMgra")

FIGURES = (
    Figure(
        "solam-figure1",
        "Figure 1 of SOLAM (Ying, Wen and Lyu 2016): AUC against time",
        "SOLAM in general reaches convergence faster than OPAUC and OAM, with competitive AUC.",
        _named(_SOLAM, "a9a", "usps", "sector"),
        _own("SOLAM", "OPAUC", "OAMseq", "OAMgra"),
        (("seconds", "auc"),),
        passes=15,
    ),
    Figure(
        "spdam-figure1",
        "Figure 1 of SPDAM (Natole, Ying and Lyu 2019): SPDAM against regSOLAM",
        "SPDAM with batches of 10 % converges in fewer iterations than regSOLAM, to a similar AUC.",
        _named(_SPDAM, "german", "usps", "a9a"),
        (_batch("10 %", 0.1), Line("regSOLAM", "regSOLAM", like="SPDAM")),
        (("iterations", "auc"), ("passes", "auc")),
        passes=40,
    ),
    Figure(
        "spdam-figure2",
        "Figure 2 of SPDAM (Natole, Ying and Lyu 2019): batch sizes",
        "Larger batches converge faster by iterations; too small ones perform badly.",
        _named(_SPDAM, "german", "usps", "a9a"),
        (
            _batch("1 row", 1),
            _batch("10 rows", 10),
            _batch("1 %", 0.01),
            _batch("10 %", 0.1),
            _batch("50 %", 0.5),
        ),
        (("iterations", "auc"), ("passes", "auc")),
        passes=40,
    ),
    Figure(
        "vrspam-figure1",
        "Figure 1 of VRSPAM (Dan and Sahoo 2021): variance of the update, and AUC",
        "VRSPAM's updates vary less than SPAM's, and it reaches the largest AUC in the fewest passes.",
        _named(_VRSPAM, "german", "usps", "a9a"),
        (
            Line("VRSPAM", "VRSPAM-L2"),
            Line("SPAM", "SPAM-L2", like="VRSPAM-L2"),
            Line("regSOLAM", "regSOLAM"),
            Line("OPAUC", "OPAUC"),
        ),
        (("passes", "variance"), ("passes", "auc")),
        passes=30,
    ),
    Figure(
        "sauc-figure1",
        "Figure 1 of SAUC (Yang, Shen, Ying and Yuan 2020): SAUC-H against OAMgra",
        "SAUC-H converges much faster than OAMgra where there are many features.",
        _TEXT,
        _own("SAUC-H", "OAMgra"),
        (("seconds", "auc"),),
        passes=15,
    ),
    Degrees(
        "sauc-figure2",
        "Figure 2 of SAUC (Yang, Shen, Ying and Yuan 2020): the degree of the polynomial",
        "On sector the degrees 2 and 5 give the lowest AUC, on dna and news20 degree 2 is good; "
        "from some degree on AUC stays the same.",
        _TEXT,
        (Line("SAUC-H", "SAUC-H"), Line("SAUC-H, radius 10", "SAUC-H", (("radius", 10.0),))),
        (("degree", "auc"),),
        passes=15,
        repeats=5,
    ),
    Figure(
        "fsauc-figure1",
        "Figure 1 of FSAUC (Liu and others 2018): AUC against iterations",
        "FSAUC needs fewer iterations than SOLAM, OPAUC and OAM.",
        _LARGE,
        _STREAMS,
        (("iterations", "auc"),),
        passes=1,
        points=10,
    ),
    Figure(
        "fsauc-figure2",
        "Figure 2 of FSAUC (Liu and others 2018): AUC against time",
        "FSAUC needs less time than SOLAM, OPAUC and OAM.",
        _LARGE,
        _STREAMS,
        (("seconds", "auc"),),
        passes=1,
        points=10,
    ),
    Optimum(
        "optimum",
        "Distance to the exact optimum",
        "SPDAM and VRSPAM reach the optimum itself, the methods that see one row at a time come near it; "
        "OAM, whose steps grow with the rows seen, has none to go to.",
        _named(_SOLAM, "german", "splice", "a9a"),
        passes=30,
    ),
    Rates(
        "rates",
        "The rates of the theorems",
        "SOLAM's duality gap falls as 1/sqrt(rows), FSAUC's objective and SPAM's squared distance as 1/rows, "
        "SPDAM and VRSPAM by a constant factor a pass.",
        _named(_SOLAM, "diabetes", "german"),
    ),
)
