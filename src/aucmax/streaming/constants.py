"""The constants of ``OnlineAUCClassifier``, all of them: what each does, and why it is what it is.

``benchmarks/online_defaults.py`` varies them on half of the data sets and shows what that does to the rest.
"""

# A short memory: the rows that the scales are first taken from, the scores of a class that a new score is
# compared with, and how far the classes may get out of balance. Fewer than 32 scores are too noisy; more
# than 64 cost time and change nothing.
RECENT = 64

# Probabilities: decisions on new rows that are kept of each class, and as many that its mean decision goes
# back; of the rarer class for each piece of the line; of the rarer class at which the line is believed half;
# and the largest distance from the middle.
HISTORY, ROWS_PER_PIECE, ENOUGH, FARTHEST = 1024, 128, 8.0, 100.0

# Largest weight of a row of the rarer class; what is missing to balance is made up by replayed rows. Heavier
# rows make noisy steps.
HEAVY = 8

# One row in as many is followed by a replayed row though the classes are in balance. It costs little, and
# shows whether new rows are like those that came before.
BACKGROUND = 16

# Usual lengths beyond which a row is shortened: twice the usual length is still common, ten times is not.
LONG = 2.0

# Standard deviations, or row norms, that one row may move a running scale by at most.
CLIP = 30.0

# Sparse columns keep their proportions, but values this many times larger or smaller than usual are brought
# closer: a raw amount beside 0/1 columns.
BAND = 16.0

# Sparse columns begin with a sum of squares of this many usual squares times the imbalance of the steps: a
# column that only the common class has had must not move as far as one the rare class has had.
UNEVEN = 16.0

# Most memory for the rows kept for replay.
RESERVOIR_BYTES = 2**25

# Weights that grow by each row are divided by this when they pass it: a power of two rounds nothing.
LARGE = 2.0**64
