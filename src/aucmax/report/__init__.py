"""The report of a model: one page with what it ranks, how well, by which columns, and where to cut."""
