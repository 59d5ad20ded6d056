"""scikit-learn's callbacks (1.9 and later) around the passes of a fit; nothing before that."""

from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method):  # type: ignore[misc]
        return method


class PassTasks:
    """Tells the callbacks of a fit where each pass begins and ends."""

    def __init__(self, estimator: Any, max_iter: int, X: Any, y: Any) -> None:
        self._data = {"estimator": estimator, "X": X, "y": y}
        self._root: Any = None
        if getattr(estimator, "_skl_callbacks", None):
            self._root = estimator._init_callback_context(max_subtasks=max_iter)
            self._root.call_on_fit_task_begin(**self._data)

    @property
    def watched(self) -> bool:
        """Whether there is a callback, which may look at the model after each pass."""
        return self._root is not None

    def begin(self) -> None:
        if self._root is not None:
            self._task = self._root.subcontext(task_name="pass").call_on_fit_task_begin(**self._data)

    def end(self) -> bool:
        """Tell that the pass is over; the answer is whether a callback asks to stop."""
        return self._root is not None and self._task.call_on_fit_task_end(
            **self._data, reconstruction_attributes={}
        )

    def close(self) -> None:
        if self._root is not None:
            self._root.call_on_fit_task_end(**self._data, reconstruction_attributes={})
