"""Models on disk: one small file that any machine reads, and that runs no code when it is read."""

import importlib
import os
import re
import warnings
from typing import Any, NamedTuple

import numpy as np

from . import container
from .codec import CodecError, decode, encode
from .container import ModelFileError

_PUBLIC_ATTRIBUTE = re.compile(r"[A-Za-z]\w*_")


def save_model(model: Any, path: str | os.PathLike, summary: dict[str, Any] | None = None) -> None:
    """Write a fitted model to one file, whole or not at all.

    The file holds the parameters and all that scoring needs, not what an online model needs to go on
    learning: that is for ``save_checkpoint``. Equal models give equal bytes.

    Parameters
    ----------
    model : fitted estimator of aucmax
    path : str or path
        An old file there is replaced in one step; ``"-"`` is standard output.
    summary : dict, optional
        What to remember of the training: strings, numbers, lists and dictionaries of them.

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
    arrays: list[np.ndarray] = []
    name = estimator_name(model)
    if not hasattr(model, "coef_"):
        raise ValueError(f"This {name} is not fitted yet; call fit before saving it.")
    fitted = {key: value for key, value in vars(model).items() if _PUBLIC_ATTRIBUTE.fullmatch(key)}
    header = {
        "kind": "model",
        "library": package().__version__,
        "estimator": name,
        "classes": model.classes_.tolist(),
        "parameters": _storable_parameters(model, arrays),
        "fitted": {key: encode(fitted[key], arrays) for key in sorted(fitted)},
        "summary": encode(summary or {}, arrays),
    }
    container.write(path, header, arrays)


def load_model(path: str | os.PathLike) -> Any:
    """Read a model from a file that ``save_model`` wrote.

    Parameters
    ----------
    path : str or path
        ``"-"`` is standard input.

    Returns
    -------
    fitted estimator
        Of the class that was saved. It scores to the bit as the saved one did.

    Raises
    ------
    ModelFileError
        A ValueError: the file is damaged, cut off, newer than this version, or no model.
    """
    header, arrays = read_kind(path, "model")
    try:
        model = restore_estimator(header, arrays)
        _check_linear(vars(model))
    except container.NONSENSE as error:
        raise container.senseless(path, error) from error
    return model


class Scorer(NamedTuple):
    """What scoring needs of a model, and what its file says about it; quick to load."""

    coef: np.ndarray
    intercept: float
    classes: np.ndarray
    feature_names: list[str] | None
    estimator: str
    library: str
    parameters: dict[str, Any]
    fitted: dict[str, Any]
    summary: dict[str, Any]

    @classmethod
    def of(cls, model: Any) -> "Scorer":
        """From a fitted model."""
        names = getattr(model, "feature_names_in_", None)
        return cls(
            model.coef_[0],
            float(model.intercept_[0]),
            model.classes_,
            None if names is None else [str(name) for name in names],
            estimator_name(model),
            package().__version__,
            model.get_params(deep=False),
            {},
            {},
        )

    def swap_classes(self) -> "Scorer":
        """The same with the other class ranked high."""
        return self._replace(coef=-self.coef, intercept=-self.intercept, classes=self.classes[::-1])


def load_scorer(path: str | os.PathLike) -> Scorer:
    """Read a model file without importing the estimator, which would take longer than to score.

    The last of the summary's classes ranks high; in the estimator it is the last in sorted order.
    """
    header, arrays = read_kind(path, "model")
    try:
        parts = {key: decode(header[key], arrays) for key in ("parameters", "fitted", "summary")}
        fitted = parts["fitted"]
        _check_linear(fitted)
        names = fitted.get("feature_names_in_")
        scorer = Scorer(
            fitted["coef_"][0],
            float(fitted["intercept_"][0]),
            fitted["classes_"],
            None if names is None else [str(name) for name in names],
            str(header["estimator"]),
            str(header["library"]),
            **parts,
        )
        return (
            scorer.swap_classes()
            if scorer.summary.get("classes") == scorer.classes.tolist()[::-1]
            else scorer
        )
    except container.NONSENSE as error:
        raise container.senseless(path, error) from error


def read_kind(path: str | os.PathLike, kind: str) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Header and arrays of a file that must be a model, or a checkpoint."""
    header, arrays = container.read(path)
    found = header.get("kind") if isinstance(header, dict) else None
    if found != kind:
        others = {"model": "load_model or predict", "checkpoint": "load_checkpoint or train --resume"}
        hint = f"; use {others[found]}" if isinstance(found, str) and found in others else ""
        raise ModelFileError(f"{os.path.basename(path)} holds {found!r}, not a {kind}{hint}.")
    return header, arrays


def _class_of(name: str) -> Any:
    """The public class of that name, or None; one of them needs an extra, so it is not among the others."""
    public = package()
    home = public.distributed if name == "DaskAUCClassifier" else public
    return getattr(home, name) if name in home.__all__ else None


def estimator_name(model: Any) -> str:
    """The public name of an estimator's class."""
    name = type(model).__name__
    if _class_of(name) is not type(model):
        raise ValueError(
            f"A {type(model).__module__}.{name} cannot be saved: only the models of aucmax can. "
            "Save the model inside a pipeline or a search on its own."
        )
    return name


def restore_estimator(header: dict[str, Any], arrays: list[np.ndarray]) -> Any:
    """An estimator with its parameters and its fitted attributes."""
    name = header["estimator"]
    estimator = _class_of(name)
    if not hasattr(estimator, "decision_function"):
        raise CodecError(
            f"it names the estimator {name!r}, which aucmax {package().__version__} does not have"
        )
    parameters, fitted = decode(header["parameters"], arrays), decode(header["fitted"], arrays)
    model = estimator(**parameters)
    if not all(key.isidentifier() and not key.startswith("__") for key in fitted):
        raise CodecError("it has an attribute with an impossible name")
    vars(model).update(fitted)
    return model


def _storable_parameters(model: Any, arrays: list[np.ndarray]) -> dict[str, Any]:
    """Parameters as JSON; what cannot be stored is left out, since scoring does not need it."""
    stored = {}
    for name, value in sorted(model.get_params(deep=False).items()):
        own: list[np.ndarray] = []
        try:
            stored[name] = encode(value, own)
        except CodecError:
            warnings.warn(
                f"{name}={value!r} cannot be stored in a file; a loaded model will have the default of "
                f"{name}. Its scores are the same.",
                stacklevel=3,
            )
        else:
            if own:
                stored[name] = encode(value, arrays)
    return stored


def _check_linear(fitted: dict[str, Any]) -> None:
    """Raise a CodecError unless these attributes are those of a linear model of two classes."""
    coef, intercept, classes = fitted["coef_"], fitted["intercept_"], fitted["classes_"]
    parts = {"coef_": coef, "intercept_": intercept, "classes_": classes}
    for name, part in parts.items():
        if not isinstance(part, np.ndarray):
            raise CodecError(f"its {name} is not an array")
    names = fitted.get("feature_names_in_")
    fits = (
        coef.ndim == 2
        and (len(coef), intercept.shape, classes.shape) == (1, (1,), (2,))
        and coef.dtype == intercept.dtype == np.float64
        and fitted["n_features_in_"] == coef.shape[1]
        and (names is None or np.shape(names) == (coef.shape[1],))
    )
    if not fits:
        raise CodecError("its arrays are not those of a linear model of two classes")


def package() -> Any:
    """The package itself."""
    # By name: this module is below the estimators, which the package hands out.
    return importlib.import_module("aucmax")
