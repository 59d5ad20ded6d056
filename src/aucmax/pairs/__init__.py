"""Margin losses and their means over all pairs of a positive and a negative row."""
