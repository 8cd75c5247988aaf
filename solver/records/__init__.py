"""Records of games: :mod:`solver.records.ogn` reads and writes Oware Game Notation, the form that Auale uses."""
