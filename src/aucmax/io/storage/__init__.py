"""Writing and reading models and checkpoints."""
