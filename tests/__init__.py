"""The test suite; it mirrors the modules of ``solver`` and ``databases``."""
