"""FSAUC."""
