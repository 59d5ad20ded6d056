"""The former place of ``aucmax.io.column_curve``."""

from ..columns.curves import column_curve as column_curve
