"""Constants of ``OnlineAUCClassifier``; the tuned ones were chosen with ``benchmarks/online.py``."""

import numpy as np

# Classes
MEMORY = 500.0  # the moments of a class are means over about this many rows
FILL = 0.75  # largest distance of the classes' mean scores, relative to the range; beyond, the range widens
BINS, BIN_RANGE = 2048, 8.0  # of the prequential AUC; scores are scaled so that the range has this length
# Rows
CLIP = 30.0  # standard deviations, or mean row norms, to which a row is clipped
OUTLIER = 1000.0  # the same for the running scale itself
# Dense columns
PRIOR = 500.0  # rows of slope 1 with which the sum of squares begins
LONG = 4.0  # mean square of a row's values beyond which its slope is reduced
MAX_SIMILARITY = 8.0  # where columns are alike, steps are longer by up to the root of this
# Sparse columns
UNEVEN = 100.0  # usual squares that columns begin with, times the variance of the classes' weights
OFF_SIZE = 64.0  # a value this many times larger or smaller than usual makes its column rescaled
BAND = 8.0  # a rescaled column is brought within this factor of the usual size
QUIET = 0.25  # of the usual slope, below which rows of later passes take turns
TURNS = 8.0  # one in so many of them moves, as many times as far
GOLDEN, PRIME = 0.5 * (np.sqrt(5.0) - 1.0), 4099  # for turns that follow no pattern of the rows
# Limits of floats
LARGE = 2.0**100  # numbers that grow with the rows are divided by this when they exceed it
HUGE = 1e150  # its square is still a float
FLOOR = 1e-290  # added where a sum of squares that is still zero would be divided by
SLIGHT = 1e-30  # of the usual squared slope, for the same
