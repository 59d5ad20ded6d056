"""Model files and checkpoints."""
