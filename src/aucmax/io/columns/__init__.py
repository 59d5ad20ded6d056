"""From the columns of a table to features: what each column is, how it is encoded, and options for both."""
