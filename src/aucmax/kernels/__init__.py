"""Compiled pieces that know nothing of AUC."""
