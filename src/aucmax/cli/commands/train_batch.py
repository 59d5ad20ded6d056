"""Training on rows that are all in memory."""

from typing import TYPE_CHECKING

from ..data import load, positive_index, two_classes
from ..evaluation import evaluate_by_folds, evaluate_on_test, stratified_folds
from ..training import Timer, TrainedModel, TrainingJob, describe_training

if TYPE_CHECKING:
    import numpy as np

    from ...io.reading.reader import Table


def train(job: TrainingJob, baseline: bool) -> TrainedModel:
    """Read all rows, choose the penalty by cross-validation, fit and evaluate.

    Columns are divided by their standard deviations, in place, so that one penalty suits all of them.
    """
    import numpy as np
    from sklearn.preprocessing import StandardScaler

    import aucmax

    timer = Timer()
    table = load(job.data, job.reading)
    reading = job.reading._replace(zero_based=table.zero_based, means=column_means(table))
    y = two_classes(table, job.data)
    positive_index(job.positive, np.unique(y), job.data)  # a wrong label is reported before the fit
    timer.record("reading")
    folds, scaler = stratified_folds(y, job.seed), StandardScaler(copy=False, with_mean=False)
    scaled = table._replace(X=scaler.fit_transform(table.X))
    l2s = 13 if job.l2 is None else [job.l2]
    model = aucmax.AUCClassifierCV(job.loss, l2s=l2s, cv=folds).fit(scaled.X, y)
    timer.record("fitting")
    positives = int(np.sum(y == model.classes_[1]))
    result = describe_training(job, model, model.l2_, len(y), positives, table.skipped) | {"seed": job.seed}
    if job.test is None:
        result |= evaluate_by_folds(model, scaled, folds, baseline)
    else:
        result |= evaluate_on_test(model, scaled, scaler, job.test, reading, baseline)
    timer.record("evaluating")
    model.coef_ = model.coef_ / scaler.scale_  # weights for the columns of the file
    model.set_params(cv=folds.n_splits)  # the splitter is not part of the model
    if table.feature_names is not None:
        model.feature_names_in_ = np.array(table.feature_names, dtype=object)
    return TrainedModel(model, result, reading, timer.seconds)


def column_means(table: "Table") -> "np.ndarray | None":
    """Means that replace missing values in later data; None for LIBSVM text, where they are 0."""
    import numpy as np

    if table.zero_based is not None:
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        return np.nan_to_num(table.X.mean(axis=0))
