"""Training on rows that are all in memory."""

from typing import Any

import numpy as np

from ...io.columns.encoding import TableEncoding
from ...io.reading.reader import Table
from ...report.effects import column_moments, curve_spreads
from ...validation.errors import DataError
from ..baseline import stratified_folds
from ..data import check_two_rows_per_class, data_name, labels, load, positive_index, split_train_test
from ..evaluation import (
    chosen_scores,
    evaluate_by_folds,
    evaluate_on_rows,
    evaluate_on_test,
    fit_baseline,
    positives_and_scores,
)
from ..messages import naming_columns
from ..progress import Step
from ..table_scaling import scale_numbers
from ..training import Timer, TrainedModel, TrainingJob, describe_training


def train(job: TrainingJob, baseline: bool) -> TrainedModel:
    """Read all rows, choose the penalty by cross-validation, fit and evaluate."""
    timer = Timer()
    table, test_rows = load_rows(job)
    y = check_two_rows_per_class(labels(table, job.data), job.data, job.reading)
    classes = np.unique(y)
    positive = classes[positive_index(job.positive, classes, job.data)]
    timer.record("reading")
    folds = stratified_folds(y, job.seed)
    # The two ends of a list do not count alike: the label that ranks high must be the second one in order.
    reverse = job.max_fpr is not None and positive == classes[0]
    target = y == positive if reverse else y
    model, encoding, curves = fit_table(job, table, target, folds)
    if encoding is not None:
        table = add_curves(table, encoding)
        test_rows = None if test_rows is None else add_curves(test_rows, encoding)
    reading = job.reading._replace(zero_based=table.zero_based, encoding=table.encoding, **table.found)
    timer.record("fitting")
    weights = None  # of logistic regression
    with Step("evaluating"):
        if test_rows is None and job.test is None:
            measured, weights = evaluate_by_folds(model, table, target, folds, baseline, job.max_fpr)
        elif baseline:
            weights = fit_baseline(table, target, job.max_fpr)
    if reverse:
        reverse_classes(model, classes)
    elif weights is not None and positive == classes[0]:
        weights = -weights
    if job.test is not None:
        measured = evaluate_on_test(model, job.test, reading, positive, weights, job.max_fpr)
    elif test_rows is not None:
        measured = evaluate_on_rows(model, test_rows, positive, weights, job.max_fpr)
    facts = facts_for_report(model, table, test_rows, positive, weights)
    timer.record("evaluating")
    model.set_params(cv=folds.n_splits)  # the splitter is not part of the model
    if table.feature_names is not None:
        model.feature_names_in_ = np.array(table.feature_names, dtype=object)
    positives = int(np.sum(y == model.classes_[1]))
    result = describe_training(job, model, model.loss_, model.l2_, len(y), positives, table.skipped)
    result |= {"seed": job.seed} | curves
    if job.max_fpr is not None:
        result |= {"max_fpr": job.max_fpr, "push": model.push_}
    result |= {} if job.test_size is None else {"test_size": job.test_size}
    return TrainedModel(model, result | measured, reading, timer.seconds, facts)


def fit_table(
    job: TrainingJob, table: Table, y: np.ndarray, folds: Any
) -> tuple[Any, TableEncoding | None, dict[str, Any]]:
    """``(model, encoding, report)``: of curves if they were asked for and have the higher AUC over the folds.

    The encoding is None where columns are straight lines.
    """
    straight = fit(job, table, y, folds)
    if not job.curves:
        return straight, None, {}
    if table.encoding is None:
        problem, remedy = (
            "LIBSVM text has no columns of a table",
            "give CSV or Parquet, or leave out {curves}",
        )
        raise DataError(f"{problem}, which curves need", remedy=remedy, file=data_name(job.data))
    from ...io.columns.curves import learn_curves  # imports scipy

    encoding = learn_curves(table.X, table.encoding)
    n_curves = sum(bool(column.knots) for column in encoding.columns)
    score = float(chosen_scores(straight).mean())
    report: dict[str, Any] = {"columns": n_curves, "straight": score, "chosen": False}
    if n_curves:
        curved = fit(job, add_curves(table, encoding), y, folds)
        report["curves"] = float(chosen_scores(curved).mean())
        report["chosen"] = report["curves"] > report["straight"]
    return *((curved, encoding) if report["chosen"] else (straight, None)), {"curves": report}


def fit(job: TrainingJob, table: Table, y: np.ndarray, folds: Any) -> Any:
    """A model with the penalty that has the highest AUC, or partial AUC, in cross-validation."""
    import aucmax

    from ...batch.reporting import listen

    l2s = 13 if job.l2 is None else [job.l2]
    model = aucmax.AUCClassifierCV(job.loss, l2s=l2s, cv=folds, max_fpr=job.max_fpr)
    X, scaling = scale_numbers(table.X, table.encoding)
    with naming_columns(table.feature_names), Step("fitting") as step, listen(step.update):
        model.fit(X, y)
    scaling.undo(model)
    return model


def add_curves(table: Table, encoding: TableEncoding) -> Table:
    """The table with curves in place of its numbers."""
    from ...io.columns.curves import apply_curves

    X = apply_curves(table.X, encoding)
    return table._replace(X=X, feature_names=encoding.feature_names, encoding=encoding)


def load_rows(job: TrainingJob) -> tuple[Table, Table | None]:
    """Rows for the training and, with ``test_size``, rows for the test, with equal shares of each class.

    Means, texts and useless columns are found in the rows for the training alone.
    """
    options = job.reading.for_training()
    if job.test_size is None:
        return load(job.data, options), None
    table = load(job.data, options._replace(training_rows=lambda y: split_rows(job, y)[0]))
    y = check_two_rows_per_class(labels(table, job.data), job.data, job.reading)
    train, test = (table._replace(X=table.X[rows], y=y[rows]) for rows in split_rows(job, y))
    return train, test


def split_rows(job: TrainingJob, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the rows for the training and for the test, each with two rows of each class."""
    assert job.test_size is not None
    check_two_rows_per_class(y, job.data, job.reading)
    second = y == np.unique(y)[1]
    try:
        parts = split_train_test(second, job.test_size, job.seed)
        for rows in parts:
            check_two_rows_per_class(second[rows], job.data, job.reading)
    except ValueError:
        problem = f"--test-size {job.test_size:g} leaves too few rows of a class"
        raise DataError(problem, remedy="give another share or more rows", file=data_name(job.data)) from None
    return parts


def facts_for_report(
    model: Any, table: Table, test_rows: Table | None, positive: Any, baseline: np.ndarray | None
) -> dict[str, Any]:
    """What a report needs to know of the training.

    Number and mean score of all rows read, by which it recognises them; means and spreads of the columns, and
    of their curves; the weights of logistic regression.
    """
    tables: list[Any] = [table] if test_rows is None else [table, test_rows]
    scores = np.concatenate([positives_and_scores(model, each.X, each.y, positive)[1] for each in tables])
    facts: dict[str, Any] = {"training_scores": {"rows": len(scores), "mean": float(scores.mean())}}
    facts["means"], facts["spread"] = column_moments(table.X)
    facts["curve_spreads"] = curve_spreads(table.X, model.coef_[0], table.encoding)
    if baseline is not None:
        facts["baseline"] = {"coef": baseline}
    return facts


def reverse_classes(model: Any, classes: np.ndarray) -> None:
    """Make a model of the first label one of the second, which ranks high in scikit-learn's order."""
    model.classes_ = classes
    model.coef_, model.intercept_ = -model.coef_, -model.intercept_
    model.calibration_, model.held_out_ = model.calibration_.reversed(), model.held_out_.reversed()
