"""The papers' experiments, run again.

Order of reading: ``problems`` (data), ``methods`` (estimators and grids), ``protocol`` (splits and tuning),
``trajectories``, ``minimisers`` and ``diagnostics`` (what a figure measures), ``experiments`` (tables and
figures), ``runner`` and ``records`` (how they are run and kept), ``page`` (the document made of the records).
"""

__all__: list[str] = []  # for `aucmax reproduce`; import its modules for experiments of your own
