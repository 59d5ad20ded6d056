"""SAUC."""
