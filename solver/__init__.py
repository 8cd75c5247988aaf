"""Abapa's games: rules, readable positions, compiled kernels, search and the command line.

Each game is a folder, :mod:`solver.oware` and :mod:`solver.omweso`; what both share is :mod:`solver.kernels` (how code
is compiled) and :mod:`solver.search` (the engine). Tables live in the sister package ``databases``. Importing this
package loads nothing heavy.
"""

__version__ = "0.1.0"
