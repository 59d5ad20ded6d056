"""Where 0.2.0 had ``column_curve``."""

from ..columns.curves import column_curve as column_curve
