"""``python -m solver`` is the ``abapa`` command."""

from solver.cli import main

main()
