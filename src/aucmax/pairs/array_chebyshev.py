"""Sums over all pairs of any smooth margin loss, in operations on whole arrays.

The rows are summarised, and read the sums back, on the device of their arrays, by a product for each cell.
The sums between cells are those of :class:`ChebyshevSums` on the host, on a few numbers for each cell.
"""

from typing import Any, NamedTuple

import numpy as np

from .array_classes import ArrayClasses
from .chebyshev import TERMS, ChebyshevSums


class CellRows(NamedTuple):
    """Rows of one class, sorted by cell.

    ``cells`` are the cells that hold rows, as ``(number, first row, end)``; ``basis`` the Chebyshev
    polynomials at the position of each row. ``order`` sorts the rows, ``back`` undoes it.
    """

    cells: list[tuple[int, int, int]]
    basis: Any
    order: Any
    back: Any


class ArrayChebyshevSums(ChebyshevSums):
    """Mean of a smooth loss over all pairs, its gradient and its curvature in the scores."""

    _classes: Any  # ArrayClasses
    _pos: Any  # CellRows
    _neg: Any

    def _locate(self, score: Any) -> None:
        c: ArrayClasses = self._classes
        scaled = score / self._loss.width
        cell = c.xp.floor(scaled)
        cells, index = c.xp.unique_inverse(cell)
        self._cells = c.arrays.get(cells)
        position = 2.0 * (scaled - cell) - 1.0
        self._pos = self._sorted_by_cell(index[c.pos], position[c.pos])
        self._neg = self._sorted_by_cell(index[c.neg], position[c.neg])

    def _sorted_by_cell(self, cell: Any, position: Any) -> CellRows:
        xp, arrays, order = self._classes.xp, self._classes.arrays, self._classes.xp.argsort(cell)
        numbers = arrays.put(np.arange(len(self._cells) + 1), cell.dtype)
        cuts = arrays.get(xp.searchsorted(cell[order], numbers)).tolist()
        cells = [(k, cuts[k], cuts[k + 1]) for k in range(len(self._cells)) if cuts[k] < cuts[k + 1]]
        x = position[order]
        basis = [xp.ones_like(x), x]
        while len(basis) < TERMS:
            basis.append(2.0 * x * basis[-1] - basis[-2])
        return CellRows(cells, xp.stack(basis), order, xp.argsort(order))

    def _moments(self, rows: Any, weight: Any) -> np.ndarray:
        arrays, weight = self._classes.arrays, weight[rows.order]
        moments = np.zeros((len(self._cells), TERMS))
        sums = [rows.basis[:, start:stop] @ weight[start:stop] for _, start, stop in rows.cells]
        moments[[number for number, _, _ in rows.cells]] = arrays.get(arrays.xp.stack(sums))
        return moments

    def _evaluate(self, rows: Any, field: np.ndarray) -> Any:
        arrays = self._classes.arrays
        field = arrays.put(field)
        values = [field[number, :] @ rows.basis[:, start:stop] for number, start, stop in rows.cells]
        return arrays.xp.concat(values)[rows.back]
