"""scikit-learn's callbacks around the passes of a fit; before its version 1.9 they do not exist."""

from typing import Any

import numpy as np

from ...base import LinearAUCClassifier

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Placeholder where scikit-learn has no callbacks."""

    def with_callbacks(method):  # type: ignore[misc]
        return method


class PassCallbacks:
    """Calls the callbacks of an estimator, if it has any, at the beginning and end of each pass."""

    def __init__(self, estimator: LinearAUCClassifier, max_iter: int, X: Any, y: np.ndarray) -> None:
        self._arguments = {"estimator": estimator, "X": X, "y": y}
        self.active = bool(getattr(estimator, "_skl_callbacks", None))
        if self.active:
            self._fit = estimator._init_callback_context(max_subtasks=max_iter)  # type: ignore[attr-defined]
            self._fit.call_on_fit_task_begin(**self._arguments)

    def begin_pass(self) -> None:
        if self.active:
            self._pass = self._fit.subcontext(task_name="pass").call_on_fit_task_begin(**self._arguments)

    def end_pass(self) -> bool:
        """End the pass; return whether a callback asks to stop."""
        return self.active and self._pass.call_on_fit_task_end(
            **self._arguments, reconstruction_attributes={}
        )

    def end_fit(self) -> None:
        if self.active:
            self._fit.call_on_fit_task_end(**self._arguments, reconstruction_attributes={})
