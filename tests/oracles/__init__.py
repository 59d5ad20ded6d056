"""What the package computes, written slowly and obviously as the formulas say: one file per method."""
