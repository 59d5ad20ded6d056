"""Model files: small, portable between machines, and safe to load, since no code is stored."""

import os
import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import container
from .codec import CodecError, decode, encode
from .container import ModelFileError

if TYPE_CHECKING:
    from ...calibration import Calibration
    from ...held_out import HeldOutScores

_PUBLIC_ATTRIBUTE = re.compile(r"[A-Za-z]\w*_")
_HOW_TO_READ = {"model": "load_model or predict", "checkpoint": "load_checkpoint or train --resume"}


def save_model(model: Any, path: str | os.PathLike, summary: dict[str, Any] | None = None) -> None:
    """Write a fitted model, or a pipeline that ends in one, to one file, completely or not at all.

    The file holds the parameters and everything that scoring needs; to continue training from a file, use
    ``save_checkpoint``. Equal models give equal bytes.

    Parameters
    ----------
    model : fitted estimator of aucmax, or Pipeline
        The other steps of a pipeline must be common ones of scikit-learn: scalers, imputers, encoders,
        splines, selection by columns, vectorizers of text, ColumnTransformer and FeatureUnion.
    path : str or path
        An existing file is replaced in one step; ``"-"`` is standard output.
    summary : dict, optional
        Facts about the training to store: strings, numbers, lists and dictionaries of them.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_breast_cancer
    >>> from aucmax import SOLAM
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = SOLAM(random_state=0).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     save_model(model, f"{folder}/cancer.auc")
    ...     bool((load_model(f"{folder}/cancer.auc").coef_ == model.coef_).all())
    True
    """
    import aucmax

    arrays: list[np.ndarray] = []
    steps: dict[str, Any] = {}
    if type(model).__name__ == "Pipeline":
        from . import pipelines  # imports scikit-learn

        steps, model = pipelines.encode_steps(model, arrays), model[-1]
    name = estimator_name(model)
    if not hasattr(model, "intercept_"):
        raise ValueError(f"This {name} is not fitted yet; call fit before saving it.")
    computed = {key for key in ("coef_", "intercept_", "calibration_") if hasattr(model, key)}  # when read
    public = [key for key in {*vars(model), *computed} if _PUBLIC_ATTRIBUTE.fullmatch(key)]
    attributes = {key: getattr(model, key) for key in public}
    fitted = {key: _on_host(value) for key, value in attributes.items()}
    header = {
        "kind": "model",
        "library": aucmax.__version__,
        "estimator": name,
        "classes": fitted["classes_"].tolist(),
        "parameters": _storable_parameters(model, arrays),
        "fitted": {key: encode(fitted[key], arrays) for key in sorted(fitted)},
        "summary": encode(summary or {}, arrays),
    }
    container.write(path, header | steps, arrays)


def _on_host(value: Any) -> Any:
    """Arrays of torch, CuPy and the like as NumPy arrays; everything else unchanged."""
    if isinstance(value, np.ndarray) or not hasattr(value, "__dlpack__"):
        return value
    from sklearn import config_context

    from ...validation.namespaces import as_numpy

    with config_context(array_api_dispatch=True):
        return as_numpy(value)


def load_model(path: str | os.PathLike) -> Any:
    """Read a model from a file that ``save_model`` wrote.

    Parameters
    ----------
    path : str or path
        ``"-"`` is standard input.

    Returns
    -------
    fitted estimator or Pipeline
        What was saved. Its scores equal those of the saved model to the last bit. For a model that the
        command line trained on a table, a Pipeline of a ``TableEncoder`` and the estimator, which scores a
        data frame with the columns of that table.

    Raises
    ------
    ModelFileError
        A ValueError: the file is damaged, cut off, newer than this version, or not a model.
    """
    return _restore(path, *read_kind(path, "model"))


def load_with_positive(path: str | os.PathLike) -> Any:
    """What ``load_model`` returns, with the positive class that training was given as the second one."""
    from sklearn.pipeline import Pipeline

    header, arrays = read_kind(path, "model")
    model = _restore(path, header, arrays)
    linear = model[-1] if isinstance(model, Pipeline) else model
    if decode(header["summary"], arrays).get("classes") == linear.classes_.tolist()[::-1]:
        linear.coef_, linear.intercept_ = -linear.coef_, -linear.intercept_
        linear.classes_ = linear.classes_[::-1]
        for name in ("calibration_", "held_out_"):
            if hasattr(linear, name):
                setattr(linear, name, getattr(linear, name).reversed())
    return model


def _restore(path: str | os.PathLike, header: dict[str, Any], arrays: list[np.ndarray]) -> Any:
    with container.decoding(path):
        model = restore_estimator(header, arrays)
        Scorer.from_attributes(vars(model))  # checks the arrays
        if "pipeline" not in header:
            return _with_encoder(model, decode(header["summary"], arrays))
        from . import pipelines

        return pipelines.restore(path, header, arrays, model)


def _with_encoder(model: Any, summary: dict[str, Any]) -> Any:
    """The model, after a step that encodes tables where the command line trained it on one."""
    if "reading" not in summary or not hasattr(model, "feature_names_in_"):
        return model
    from sklearn.pipeline import Pipeline

    from ..columns.encoding import stored_encoding
    from ..columns.feature_names import FeatureNames
    from ..columns.table_encoder import TableEncoder

    reading = summary["reading"]
    known: Any = stored_encoding(reading)
    if known is None:
        names = model.feature_names_in_.tolist()
        known = FeatureNames.of_options(names, reading)
    del model.feature_names_in_  # they are the encoder's, whose result has no names
    return Pipeline([("table", TableEncoder.of(known)), ("model", model)])


class Scorer(NamedTuple):
    """The part of a model that scoring needs, and the description of its training."""

    coef: np.ndarray
    intercept: float
    classes: np.ndarray  # the second one gets the high scores
    feature_names: list[str] | None
    estimator: str = ""
    library: str = ""
    parameters: dict[str, Any] = {}  # noqa: RUF012
    summary: dict[str, Any] = {}  # noqa: RUF012
    calibration: "Calibration | None" = None  # of the scores, for probabilities
    held_out: "HeldOutScores | None" = None  # to choose a threshold by
    spread: np.ndarray | None = None  # of each column in the training data
    coef_se: np.ndarray | None = None  # standard errors of the weights

    @classmethod
    def from_attributes(cls, fitted: dict[str, Any], description: dict[str, Any] | None = None) -> "Scorer":
        """From the attributes of a fitted model; a CodecError if it is not a linear model of two classes."""
        coef, intercept, classes = (fitted[name] for name in ("coef_", "intercept_", "classes_"))
        names = fitted.get("feature_names_in_")
        is_linear = (
            all(isinstance(part, np.ndarray) for part in (coef, intercept, classes))
            and coef.ndim == 2
            and (len(coef), intercept.shape, classes.shape) == (1, (1,), (2,))
            and coef.dtype == intercept.dtype == np.float64
            and fitted["n_features_in_"] == coef.shape[1]
            and (names is None or np.shape(names) == (coef.shape[1],))
        )
        if not is_linear:
            raise CodecError("its arrays are not those of a linear model of two classes")
        names = None if names is None else [str(name) for name in names]
        errors = fitted.get("coef_se_")
        return cls(
            coef=coef[0],
            intercept=float(intercept[0]),
            classes=classes,
            feature_names=names,
            **(description or {}),
            calibration=fitted.get("calibration_"),
            held_out=fitted.get("held_out_"),
            spread=fitted.get("feature_scale_"),
            coef_se=None if errors is None else errors[0],
        )

    def probability(self, score: np.ndarray) -> np.ndarray:
        """Probability of the positive class for each score; there must be a calibration."""
        assert self.calibration is not None
        return self.calibration.probability(score)

    def reversed(self) -> "Scorer":
        """With the other class as the positive one."""
        return self._replace(
            coef=-self.coef,
            intercept=-self.intercept,
            classes=self.classes[::-1],
            calibration=self.calibration and self.calibration.reversed(),
            held_out=self.held_out and self.held_out.reversed(),
        )


def load_scorer(path: str | os.PathLike) -> Scorer:
    """Read what scoring needs from a model file, without importing the estimator, which takes longer.

    The positive class is the second of the summary's classes, or else the second in sorted order.
    """
    header, arrays = read_kind(path, "model")
    if "pipeline" in header:
        remedy = "use it in Python, with aucmax.io.load_model"
        raise ModelFileError("it holds a pipeline", remedy=remedy, file=os.path.basename(path))
    with container.decoding(path):
        keys = ("estimator", "library", "parameters", "summary")
        description = {key: decode(header[key], arrays) for key in keys}
        scorer = Scorer.from_attributes(decode(header["fitted"], arrays), description)
        is_swapped = scorer.summary.get("classes") == scorer.classes.tolist()[::-1]
    return scorer.reversed() if is_swapped else scorer


def read_kind(path: str | os.PathLike, kind: str) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Header and arrays of a file that must be a model, or a checkpoint."""
    header, arrays = container.read(path)
    found = header.get("kind") if isinstance(header, dict) else None
    if found != kind:
        known = isinstance(found, str) and found in _HOW_TO_READ
        problem = f"it is not a {kind}" + (f", but a {found}" if known else "")
        remedy = f"use {_HOW_TO_READ[str(found)]}" if known else None
        raise ModelFileError(problem, remedy=remedy, file=os.path.basename(path))
    return header, arrays


def _estimator_class(name: str) -> Any:
    """The public class of that name, or None."""
    import aucmax

    # The estimators for Dask need an optional dependency, so their names are not in aucmax.__all__.
    module: Any = aucmax.distributed if name.startswith("Dask") else aucmax
    return getattr(module, name) if name in module.__all__ else None


def estimator_name(model: Any) -> str:
    """The public name of an estimator's class."""
    name = type(model).__name__
    if _estimator_class(name) is not type(model):
        raise ValueError(
            f"A {type(model).__module__}.{name} cannot be saved: only the models of aucmax can, and "
            "pipelines that end in one. Save the model inside a search on its own."
        )
    return name


def restore_estimator(header: dict[str, Any], arrays: list[np.ndarray]) -> Any:
    """An estimator with its parameters and its fitted attributes."""
    estimator = _estimator_class(header["estimator"])
    if not hasattr(estimator, "decision_function"):
        raise CodecError(
            f"it names the estimator {header['estimator']!r}, which this version of aucmax does not have"
        )
    parameters, fitted = decode(header["parameters"], arrays), decode(header["fitted"], arrays)
    for name in getattr(estimator, "_former_parameters", ()):  # of older versions; scoring does not need them
        parameters.pop(name, None)
    model = estimator(**parameters)
    if not all(key.isidentifier() and not key.startswith("__") for key in fitted):
        raise CodecError("it has an attribute with an invalid name")
    vars(model).update(fitted)
    return model


def _storable_parameters(model: Any, arrays: list[np.ndarray]) -> dict[str, Any]:
    """Encode the parameters; leave out those that cannot be stored, since scoring does not need them."""
    stored = {}
    for name, value in sorted(model.get_params(deep=False).items()):
        n_arrays = len(arrays)
        try:
            stored[name] = encode(value, arrays)
        except CodecError:
            del arrays[n_arrays:]
            warnings.warn(
                f"{name}={value!r} cannot be stored in a file; the loaded model will have the default of "
                f"{name}. Its scores are the same.",
                stacklevel=3,
            )
    return stored
