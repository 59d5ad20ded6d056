"""Files enter."""
