"""Learning from endless streams."""
