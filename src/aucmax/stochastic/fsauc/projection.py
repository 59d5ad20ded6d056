"""Projection on the L1 ball cut with a trust ball: exact, without a sort, in place."""

import numpy as np

from ...kernels.jit import inlined, vectorised

SHARP = 1e-14  # relative error of the distance at which the search for the trust ball ends


@vectorised
def above(w, centre, theta, tau):
    """Sum of what the sizes of ``centre + theta (w - centre)`` exceed tau by, and how many do."""
    total, count = 0.0, 0.0
    for j in range(len(w)):
        over = abs(centre[j] + theta * (w[j] - centre[j])) - tau
        exceeds = 1.0 if over > 0.0 else 0.0
        total += exceeds * over
        count += exceeds
    return total, count


@inlined
def l1_threshold(w, centre, theta, radius):
    """The tau by which ``centre + theta (w - centre)`` is thresholded to be on the L1 ball; 0 inside it.

    Newton steps from the left on a convex, piecewise linear function: they end at the root itself.
    """
    tau, active = 0.0, -1.0
    while True:
        total, count = above(w, centre, theta, tau)
        if total <= radius or count == active:
            return tau
        tau, active = tau + (total - radius) / count, count


@inlined
def soft(value, tau):
    """``value`` moved by ``tau`` towards zero, and not beyond."""
    return max(value - tau, 0.0) + min(value + tau, 0.0)


@vectorised
def square_distance(w, centre, theta, tau):
    """How far from the centre the thresholded point is, squared."""
    total = 0.0
    for j in range(len(w)):
        gap = soft(centre[j] + theta * (w[j] - centre[j]), tau) - centre[j]
        total += gap * gap
    return total


@inlined
def offset(value, centre, theta, bound):
    """The same for a scalar in the box ``[-bound, bound]``, signed."""
    return min(max(centre + theta * (value - centre), -bound), bound) - centre


@inlined
def trust(w, centre, radius, scalars, bound, kappa2, reach):
    """The ``theta`` and ``tau`` of the projection on L1 ball, boxes and trust ball together.

    The projection of (w, a, b) is that on the L1 ball and the boxes alone of the centre plus theta times the
    way from it, with the largest theta in [0, 1] that ends within ``reach``; the distance grows with theta.
    Weights count ``kappa2`` in squared distances, scalars one.
    """
    a, a1, b, b1 = scalars
    low, below, high, above = 0.0, -reach, 1.0, 0.0
    theta, side = 1.0, 0
    for _ in range(100):
        tau = l1_threshold(w, centre, theta, radius)
        square = kappa2 * square_distance(w, centre, theta, tau)
        square += offset(a, a1, theta, bound) ** 2 + offset(b, b1, theta, bound) ** 2
        gap = np.sqrt(square) - reach
        if abs(gap) <= SHARP * reach or (theta == 1.0 and gap <= 0.0) or high - low <= SHARP * high:
            break
        if gap > 0.0:  # Illinois: halve the end that stays, so that both ends close in
            high, above = theta, gap
            below, side = (0.5 * below, 1) if side == 1 else (below, 1)
        else:
            low, below = theta, gap
            above, side = (0.5 * above, -1) if side == -1 else (above, -1)
        theta = (low * above - high * below) / (above - below)
    return theta, tau


@vectorised
def put(w, v, weight, centre, theta, tau):
    """Move ``w`` to its projection; its L1 norm, squared distance from the centre and squared norm.

    The sum of past iterates, ``weight * w + v``, stays what it was.
    """
    l1, gap, square = 0.0, 0.0, 0.0
    for j in range(len(w)):
        to = soft(centre[j] + theta * (w[j] - centre[j]), tau)
        v[j] -= weight * (to - w[j])
        w[j] = to
        l1 += abs(to)
        gap += (to - centre[j]) ** 2
        square += to * to
    return l1, gap, square
