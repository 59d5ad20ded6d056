"""Plots of ROC curves, the top of the list, scores and convergence, on the given axes or on new ones.

New axes belong to no window: save them with ``ax.figure.savefig``. To see a plot on the screen, pass the
axes of ``matplotlib.pyplot.subplots``. No global state of matplotlib changes.
"""

from .convergence import convergence
from .histograms import scores
from .roc_curve import roc
from .top_curve import top

__all__ = ["convergence", "roc", "scores", "top"]
