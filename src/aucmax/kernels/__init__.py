"""Compiled routines that do not depend on AUC: rows, vectors, sorting, random numbers, proximal steps."""
