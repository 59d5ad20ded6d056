"""Tables and figures of the papers, as jobs that yield records."""
