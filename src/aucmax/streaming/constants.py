"""The constants of ``OnlineAUCClassifier``: what each does, and why it is what it is.

``benchmarks/online_defaults.py`` varies those that rank rows on half of the data sets, and shows what that
does to the rest.
"""

# A short memory: the rows that the scales are first taken from, the scores of a class that a new score is
# compared with, the rows a mean decision goes back, and how far the classes may get out of balance. Fewer
# than 64 scores are noisier; 128 take more time and gain nothing on average.
RECENT = 64

# Of probabilities.
HISTORY = 1024  # decisions kept of each class: those of a model that hardly changes any more
ROWS_PER_PIECE = 128  # decisions of the rarer class for a piece of the line: with fewer, it follows chance
PRIOR_ROWS = 8.0  # a line or mean of as many rows of the rarer class is believed half
MAX_DISTANCE = 100.0  # farthest a decision counts from the middle: one row must not place the line

# Of balance and replay. Heavier rows than this make noisy steps; replayed rows make up for the rest. One new
# row in REPLAY_PERIOD is followed by a replayed one though the classes are in balance: it costs little, and
# shows whether new rows are like those that came before.
MAX_BALANCE = 8.0
REPLAY_PERIOD = 16

# Of values and rows that are broken, or larger than others.
MAX_LENGTH = 2.0  # usual lengths a row may have: twice the usual one is common, ten times is not
CLIP = 30.0  # standard deviations, or usual norms, one row counts at most in running scales: tails are long
MAX_RATIO = 16.0  # sparse columns keep their proportions up to this: a raw amount is brought closer to 0/1
TINY = MAX_RATIO**-3  # so small a value in a sparse column may show that its scale was lowered too far

# Usual squares, times the imbalance of the steps, added to the squared slopes of a sparse column: one that
# only the common class has had must not move as far as one the rare class has had.
UNEVEN = 16.0

RESERVOIR_BYTES = 2**25  # most memory for kept rows: of sparse ones half, as they are moved to make room
LARGE = 2.0**64  # weights that grow by each row are divided by it when they pass it: that rounds nothing
