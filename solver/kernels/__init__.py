"""Compiled kernels on packed boards, a file a game; :mod:`solver.kernels.compile` says how they are compiled."""
