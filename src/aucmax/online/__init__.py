"""The papers' methods, one file each."""
