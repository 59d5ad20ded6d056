"""Curves against straight lines: both are fitted, and the same folds choose."""

from typing import TYPE_CHECKING, Any

from ...validation.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...io.columns.encoding import TableEncoding
    from ...io.reading.reader import Table


def fit_curves(
    fit: "Callable[[Table], Any]", table: "Table", straight: Any, path: str
) -> "tuple[Any, TableEncoding | None, dict[str, Any]]":
    """``(model, encoding, report)``: of curves if they have the higher AUC in cross-validation.

    ``straight`` is the model of straight lines; the encoding is None where they are as good.
    """
    if table.encoding is None:
        problem = "LIBSVM text has no columns of a table, which curves need"
        raise DataError(problem, remedy="give CSV or Parquet, or leave out {curves}", file=path)
    from ...io.columns.curves import learn_curves

    encoding = learn_curves(table.X, table.encoding)
    n_curves = sum(bool(column.knots) for column in encoding.columns)
    report: dict[str, Any] = {"columns": n_curves, "straight": held_out_score(straight), "chosen": False}
    if not n_curves:
        return straight, None, report
    bent = fit(bend_table(table, encoding))
    report |= {"curves": held_out_score(bent)}
    report["chosen"] = report["curves"] > report["straight"]
    return (bent, encoding, report) if report["chosen"] else (straight, None, report)


def bend_table(table: "Table", encoding: "TableEncoding") -> "Table":
    """A table of straight lines, with curves."""
    from ...io.columns.curves import apply_curves

    X = apply_curves(table.X, encoding)
    return table._replace(X=X, feature_names=encoding.feature_names, encoding=encoding)


def held_out_score(model: Any) -> float:
    """Mean over the folds of the AUC, or of the partial AUC, by which the penalty was chosen."""
    best = int(abs(model.l2s_ - model.l2_).argmin())
    return float(model.scores_[best].mean())


def describe_curves(found: dict[str, Any]) -> str:
    """Which of the two was chosen, in a sentence."""
    if not found["columns"]:
        return "curves: no column has enough values for one, so all are straight lines"
    scores = f"{found['curves']:.4f} against {found['straight']:.4f} of straight lines in cross-validation"
    if found["chosen"]:
        many = "s" if found["columns"] > 1 else ""
        return f"curves of {found['columns']} column{many}: {scores}"
    return f"straight lines: curves were not better ({scores})"
