"""SPAM."""
