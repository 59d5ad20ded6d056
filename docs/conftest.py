"""pytest runs the examples in the guides, not the programs that build the site."""

collect_ignore_glob = ["*.py"]
