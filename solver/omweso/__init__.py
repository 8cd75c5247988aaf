"""Omweso as a person reads it: rule sets, positions (the plain reference), set-ups, matches.

Compiled kernels on packed boards live in :mod:`solver.kernels.omweso`; the rules themselves, with their sources, in
docs/omweso.md.
"""
