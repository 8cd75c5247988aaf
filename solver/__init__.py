"""Abapa's games: rules, readable positions, compiled kernels, search and the command line.

The entry points are :class:`solver.rules.Rules` and :class:`solver.oware.Position`; tables live in the sister package
``databases``. Importing this package loads nothing heavy.
"""

__version__ = "0.1.0"
