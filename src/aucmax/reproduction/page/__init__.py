"""The page that compares the records with the papers: tables, figures and text."""
