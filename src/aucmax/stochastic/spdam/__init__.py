"""SPDAM."""
