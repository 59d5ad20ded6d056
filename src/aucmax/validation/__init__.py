"""Validation of what callers pass in: parameters, arrays, labels, scores and weights."""
