"""Methods that learn in place: a copy of all they know, for each chunk of a stream, would take too long."""

import copy
from typing import Any, TypeVar

from ...base import ReadWhenAsked
from .estimator import OnlineAUCClassifierBase, Solver, copy_solver
from .loop import Data

Self = TypeVar("Self", bound="InPlaceAUCClassifier")


class InPlaceAUCClassifier(OnlineAUCClassifierBase):
    """A method whose chunks change the arrays of its solver; what follows from them is computed when read."""

    coef_ = ReadWhenAsked()  # type: ignore[assignment]
    intercept_ = ReadWhenAsked()  # type: ignore[assignment]
    calibration_ = ReadWhenAsked()

    def _follow_from(self, name: str) -> dict[str, Any]:
        """The three, as one of them, ``name``, is read."""
        raise NotImplementedError

    def _values(self, name: str) -> dict[str, Any]:
        """The three; they are kept in a dictionary, since reading must not add attributes."""
        values: dict[str, Any] = self.__dict__.setdefault("_read_out", {})
        if not values:
            values.update(self._follow_from(name))
        return values

    def _take_chunk(self, solver: Solver, data: Data) -> None:
        self._accept(self._chunk(solver, data))

    def _accept(self, solver: Solver) -> None:
        self._solver = solver
        self._read_out: dict[str, Any] = {}

    def __copy__(self: Self) -> Self:
        """A deep copy: a chunk that one of the two learns from would change the model of the other."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key != "_read_out"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Copies the solver: joblib gives its workers arrays that are read-only."""
        solver = {key: copy_solver(value) for key, value in state.items() if key == "_solver"}
        super().__setstate__(state | solver)
