"""VRSPAM."""

from oracles.spam import elastic_net_step, saddle_coefficient


def vrspam(X, y, w, *, eta, beta, beta1, orders, weights, m_pos, m_neg, p, **_):
    """VRSPAM from ``w``, a stage for each order of visits: the last iterate."""

    def gradients(w):
        s, s_pos, s_neg = X @ w, w @ m_pos, w @ m_neg
        g = [saddle_coefficient(s[i], y[i] > 0, p, s_pos, s_neg) for i in range(len(y))]
        return (weights * g)[:, None] * X

    for order in orders:
        anchors = gradients(w)
        for i in order:
            s = saddle_coefficient(w @ X[i], y[i] > 0, p, w @ m_pos, w @ m_neg)
            direction = weights[i] * s * X[i] - anchors[i] + anchors.mean(0)
            w = elastic_net_step(w - eta * direction, eta * beta1, 1 + eta * beta)
    return w
