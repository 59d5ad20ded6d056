"""Solvers for data that fit in memory."""
