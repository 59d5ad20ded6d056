"""The papers' figures, and two that need the exact optimum, which the papers did not compute."""

from ..problems import Problem
from .auc_curves import AUCCurves, DegreeCurves, Line
from .convergence_rates import ConvergenceRates
from .figure import Figure
from .optimum_distance import OptimumDistance
from .tables import TABLES, Table

_SOLAM, _SPDAM, _VRSPAM, _SAUC = TABLES


def _from_table(table: Table, *names: str) -> tuple[Problem, ...]:
    return tuple(table.problem(name) for name in names)


def _as_in_table(*methods: str) -> tuple[Line, ...]:
    return tuple(Line(method, method) for method in methods)


def _with_batch_size(label: str, size: float) -> Line:
    return Line(f"SPDAM, {label}", "SPDAM", (("batch_size", size),), same_l2_as="SPDAM")


_TEXT = _from_table(_SAUC, "dna", "news20", "sector")
_LARGE = (*_from_table(_SOLAM, "a9a", "covtype"), *_from_table(_VRSPAM, "w8a", "ijcnn1"))
_SPDAM_DATA = _from_table(_SPDAM, "german", "usps", "a9a")
_BATCH_SIZES = (("1 row", 1), ("10 rows", 10), ("1 %", 0.01), ("10 %", 0.1), ("50 %", 0.5))
_BY_TIME, _BY_ITERATIONS, _BY_PASSES = ("seconds", "auc"), ("iterations", "auc"), ("passes", "auc")

FIGURES: tuple[Figure, ...] = (
    AUCCurves(
        "solam-figure1",
        "Figure 1 of SOLAM (Ying, Wen and Lyu 2016): AUC against time",
        _from_table(_SOLAM, "a9a", "usps", "sector"),
        (_BY_TIME,),
        passes=15,
        lines=_as_in_table("SOLAM", "OPAUC", "OAMseq", "OAMgra"),
    ),
    AUCCurves(
        "spdam-figure1",
        "Figure 1 of SPDAM (Natole, Ying and Lyu 2019): SPDAM against regSOLAM",
        _SPDAM_DATA,
        (_BY_ITERATIONS, _BY_PASSES),
        passes=40,
        lines=(_with_batch_size("10 %", 0.1), Line("regSOLAM", "regSOLAM", same_l2_as="SPDAM")),
    ),
    AUCCurves(
        "spdam-figure2",
        "Figure 2 of SPDAM (Natole, Ying and Lyu 2019): batch sizes",
        _SPDAM_DATA,
        (_BY_ITERATIONS, _BY_PASSES),
        passes=40,
        lines=tuple(_with_batch_size(label, size) for label, size in _BATCH_SIZES),
    ),
    AUCCurves(
        "vrspam-figure1",
        "Figure 1 of VRSPAM (Dan and Sahoo 2021): variance of the update, and AUC",
        _from_table(_VRSPAM, "german", "usps", "a9a"),
        (("passes", "variance"), _BY_PASSES),
        lines=(
            Line("VRSPAM", "VRSPAM-L2"),
            Line("SPAM", "SPAM-L2", same_l2_as="VRSPAM-L2"),
            *_as_in_table("regSOLAM", "OPAUC"),
        ),
    ),
    AUCCurves(
        "sauc-figure1",
        "Figure 1 of SAUC (Yang, Shen, Ying and Yuan 2020): SAUC-H against OAMgra",
        _TEXT,
        (_BY_TIME,),
        passes=15,
        lines=_as_in_table("SAUC-H", "OAMgra"),
    ),
    DegreeCurves(
        "sauc-figure2",
        "Figure 2 of SAUC (Yang, Shen, Ying and Yuan 2020): the degree of the polynomial",
        _TEXT,
        (("degree", "auc"),),
        passes=15,
        repeats=5,
        lines=(Line("SAUC-H", "SAUC-H"), Line("SAUC-H, radius 10", "SAUC-H", (("radius", 10.0),))),
    ),
    *(
        AUCCurves(
            f"fsauc-figure{number}",
            f"Figure {number} of FSAUC (Liu and others 2018): AUC against {x}",
            _LARGE,
            (axes,),
            passes=1,
            points=10,
            lines=_as_in_table("FSAUC", "SOLAM", "OPAUC", "OAMseq", "OAMgra"),
        )
        for number, x, axes in ((1, "iterations", _BY_ITERATIONS), (2, "time", _BY_TIME))
    ),
    OptimumDistance(
        "optimum", "Distance to the exact optimum", _from_table(_SOLAM, "german", "splice", "a9a")
    ),
    ConvergenceRates("rates", "The rates of the theorems", _from_table(_SOLAM, "diabetes", "german")),
)
