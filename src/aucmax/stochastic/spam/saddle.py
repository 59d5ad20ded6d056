"""The saddle function of the squared pair loss, minimised over its three scalars.

The minimisers are the classes' mean scores. SPAM and VRSPAM compute them from two scalars, the products of
the weights with the sums of the rows of each class.
"""

from typing import NamedTuple

from ...kernels.jit import inlined


class State(NamedTuple):
    """``w . (sum of positives)``, ``w . (sum of negatives)``, the classes' weights, the number of rows."""

    a: float = 0.0
    b: float = 0.0
    pos: float = 0.0
    neg: float = 0.0
    t: float = 0.0


@inlined
def score_derivative(state, score, positive):
    """Derivative of the saddle function in the row's score; zero until both classes have been seen."""
    if state.pos == 0.0 or state.neg == 0.0:
        return 0.0
    sign, others, total = (1.0, state.neg, state.b) if positive else (-1.0, state.pos, state.a)
    return 2.0 * others / (state.pos + state.neg) * (score - sign - total / others)
