"""Small Omweso boards solved whole: who wins every position of a number of seeds, and in how many plies.

No seed ever leaves an Omweso board, so all positions of n seeds on c columns are one tier that depends on no other:
C(n + 4c - 1, 4c - 1) of them, indexed as in :mod:`databases.tiers` with 2c pits a side. Repetition, and an endless
turn that voids the game, are draws. The first turns of a game, which may not capture, and okukoneeza, which ends with
the first capture, depend on history; so there are two *layers*: positions after the first capture, and *fresh* ones
before it.

Read in this order:

* :mod:`databases.omweso.levels`: what a position is worth by its turns, and the kernel that decides a level.
* :mod:`databases.omweso.solve`: a tier, level by level, and its counts.
* :mod:`databases.omweso.setups`: the first position of a game, and the best set-ups.
* :mod:`databases.omweso.tables`: what was solved as files, and asking them.

Turns come from :mod:`solver.omweso.kernels`; the file is :mod:`databases.files`'s. Oware's tables are made by
:mod:`databases.builder`, which shares nothing with this.
"""
