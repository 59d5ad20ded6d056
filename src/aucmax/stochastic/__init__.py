"""The papers' methods, one file or folder each."""
