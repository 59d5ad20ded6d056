"""The saddle function of the squared pair loss once its three scalars are at their best.

They have a closed form in the class means, so that SPAM and its relatives need one number from each
class: the product of the weights with the sum of its rows.
"""

from typing import NamedTuple

from ...kernels.jit import inlined


class State(NamedTuple):
    """``w . (sum of positives)``, ``w . (sum of negatives)``, the classes' weights, rows visited."""

    a: float = 0.0
    b: float = 0.0
    pos: float = 0.0
    neg: float = 0.0
    t: float = 0.0


@inlined
def coefficient(state, score, positive):
    """Derivative of the saddle function in the row's score; zero until both classes are known."""
    if state.pos == 0.0 or state.neg == 0.0:
        return 0.0
    sign, others, total = (1.0, state.neg, state.b) if positive else (-1.0, state.pos, state.a)
    return 2.0 * others / (state.pos + state.neg) * (score - sign - total / others)
