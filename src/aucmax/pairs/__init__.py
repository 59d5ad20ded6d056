"""A margin loss and its sums over all pairs."""
