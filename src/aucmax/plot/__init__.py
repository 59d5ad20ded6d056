"""Plots of ROC curves, the top of the list, scores, calibration, weights and convergence.

Each function draws on the given axes or on new ones, which it returns. New axes belong to no window: save
them with ``ax.figure.savefig``, at 150 dots per inch. To see a plot on the screen, pass the axes of
``matplotlib.pyplot.subplots``. No global state of matplotlib changes.

Functions of labels and scores have the same parameters, where they apply: ``band`` and ``level`` for
intervals, ``threshold`` for an operating point, ``label`` and ``color`` for several models on the same axes.
"""

from .calibration_curve import calibration
from .convergence import convergence
from .histograms import scores
from .roc_curve import roc
from .top_curve import top
from .weights import coefficients

__all__ = ["calibration", "coefficients", "convergence", "roc", "scores", "top"]
