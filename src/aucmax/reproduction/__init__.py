"""The papers' experiments: problems, methods, protocols, records, and the page that compares them."""
