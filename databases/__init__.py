"""Abapa's tables: every board with n seeds, solved, stored, asked and proved.

Read in this order:

* :mod:`databases.halfboards`, :mod:`databases.tiers`: where a board lies in its tier. All else stands on these two.
* :mod:`databases.files`: the table file. It knows no game.
* :mod:`databases.builder`: Oware's tables are made; :mod:`databases.omweso`: Omweso's.
* :mod:`databases.prober`: Oware's tables are asked (:func:`databases.prober.open_tables` is the entry point), with
  :mod:`databases.lookups` for one board after the other; :mod:`databases.statistics` and :mod:`databases.pictures` look
  at whole tiers.
* :mod:`databases.verifier`: tables are proved; :mod:`databases.halfmoves` and :mod:`databases.sweeps` are its two
  independent engines.
* :mod:`databases.starts`: start positions, from proved tables, beside what is known (:mod:`databases.published`).
* :mod:`databases.interchange`: files of others.

From ``solver`` it imports errors, numerals, the kernels' tools and, of each game, rules and kernels; of Omweso also the
readable position, which its tables are asked with. It knows nothing of the search or of the command line.
"""

DISTRIBUTION = "abapa"
"""Read by the command line to make sure that the ``databases`` it imports is ours, not a namesake's."""
