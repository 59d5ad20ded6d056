"""FSAUC's constraints: the projection on the L1 ball intersected with a trust ball, exact and in place."""

import numpy as np

from ...kernels.jit import inlined, vectorised
from ...kernels.proximal import soft_threshold
from ...kernels.rows import entry, for_both_layouts, span

SEARCH_TOL = 1e-14  # relative error of the distance at which the search for theta ends


@for_both_layouts
def move_along_row(X, i, c, w, e, v, centre):
    """``w += c x_i`` and ``v += e x_i``; return by how much ``|w|_1`` and ``|w - centre|^2`` grow."""
    more_l1, more_distance2 = 0.0, 0.0
    start, stop = span(X, i)
    for k in range(start, stop):
        column, x = entry(X, i, k)
        j = np.uintp(column)
        before, after = w[j], w[j] + c * x
        more_l1 += abs(after) - abs(before)
        more_distance2 += c * x * (after + before - 2.0 * centre[j])
        w[j] = after
        v[j] += e * x
    return more_l1, more_distance2


@vectorised
def excess_over(w, centre, theta, tau):
    """Sum and number of the positive ``|centre + theta (w - centre)|_j - tau``."""
    total, count = 0.0, 0.0
    for j in range(len(w)):
        over = abs(centre[j] + theta * (w[j] - centre[j])) - tau
        exceeds = 1.0 if over > 0.0 else 0.0
        total += exceeds * over
        count += exceeds
    return total, count


@inlined
def l1_threshold(w, centre, theta, radius):
    """The soft threshold that projects ``centre + theta (w - centre)`` on the L1 ball; 0 inside the ball.

    Newton steps from the left on a convex, piecewise linear function end at the root itself.
    """
    tau, active = 0.0, -1.0
    while True:
        total, count = excess_over(w, centre, theta, tau)
        if total <= radius or count == active:
            return tau
        tau, active = tau + (total - radius) / count, count


@vectorised
def distance2(w, centre, theta, tau):
    """Squared distance of the thresholded point from the centre."""
    total = 0.0
    for j in range(len(w)):
        difference = soft_threshold(centre[j] + theta * (w[j] - centre[j]), tau) - centre[j]
        total += difference * difference
    return total


@inlined
def offset(value, centre, theta, bound):
    """``centre + theta (value - centre)`` clipped to ``[-bound, bound]``, minus the centre."""
    return min(max(centre + theta * (value - centre), -bound), bound) - centre


@inlined
def search_theta(w, centre, radius, scalars, bound, max_sqnorm, reach):
    """The ``theta`` and ``tau`` of the projection on the L1 ball, boxes and trust ball together.

    The projection of (w, a, b) is the projection on the L1 ball and the boxes alone of the point at a
    fraction theta of the way from the centre to (w, a, b), with the largest theta in [0, 1] for which the
    distance from the centre is at most ``reach``. The distance grows with theta. Squared distances of
    weights are multiplied by ``max_sqnorm``.
    """
    a, a1, b, b1 = scalars
    low, low_gap, high, high_gap = 0.0, -reach, 1.0, 0.0
    theta, last_moved = 1.0, 0
    for _ in range(100):
        tau = l1_threshold(w, centre, theta, radius)
        total = max_sqnorm * distance2(w, centre, theta, tau)
        total += offset(a, a1, theta, bound) ** 2 + offset(b, b1, theta, bound) ** 2
        gap = np.sqrt(total) - reach
        if abs(gap) <= SEARCH_TOL * reach or (theta == 1.0 and gap <= 0.0) or high - low <= SEARCH_TOL * high:
            break
        # Regula falsi (Illinois): the gap at an end that stays twice is halved, so that both ends move.
        if gap > 0.0:
            high, high_gap = theta, gap
            low_gap, last_moved = (0.5 * low_gap, 1) if last_moved == 1 else (low_gap, 1)
        else:
            low, low_gap = theta, gap
            high_gap, last_moved = (0.5 * high_gap, -1) if last_moved == -1 else (high_gap, -1)
        theta = (low * high_gap - high * low_gap) / (high_gap - low_gap)
    return theta, tau


@vectorised
def project(w, v, weight, centre, theta, tau):
    """Move ``w`` to its projection; return its L1 norm, squared distance from the centre and squared norm.

    The sum of past iterates, ``weight * w + v``, does not change.
    """
    l1, distance2, sqnorm = 0.0, 0.0, 0.0
    for j in range(len(w)):
        projected = soft_threshold(centre[j] + theta * (w[j] - centre[j]), tau)
        v[j] -= weight * (projected - w[j])
        w[j] = projected
        l1 += abs(projected)
        distance2 += (projected - centre[j]) ** 2
        sqnorm += projected * projected
    return l1, distance2, sqnorm
