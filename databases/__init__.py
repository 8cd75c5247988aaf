"""Abapa's tables: index, builder, store, prober, verifier.

This package knows nothing of search or of the command line; from ``solver`` it imports the rules, the errors and the
kernels only. The entry point for reading tables is ``databases.prober.open_tables``.
"""

DISTRIBUTION = "abapa"
"""Read by the command line to make sure that the ``databases`` it imports is ours, not a namesake's."""
