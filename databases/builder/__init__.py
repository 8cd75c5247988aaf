"""Builds the tables of a rule set, tier by tier. Why they are right is proved in docs/algorithm.md.

Reading order:

- :mod:`.build`: a whole build, from the plan to the last table. It reads as the table of contents.
- :mod:`.plan`: what a build will do and need (disk, memory), worked out before any work. :mod:`.memory` counts the
  memory of a tier in each form.
- :mod:`.finish`: a finished tier is hashed, flushed and named while the next one is built.
- :mod:`.finished`: maps of the finished tiers, which larger ones read.
- :mod:`.tier`: one tier, from finished smaller ones: captures, stages, table. The contents page of the algorithm.
- :mod:`.checkpoint`: the state of a tier is kept on the disk between two stages, so that a killed build loses little.

Several processes can build a tier together:

- :mod:`.ranks`: a whole build over MPI, seen from one of its processes. Only this module starts MPI.
- :mod:`.ownership`: the rows of a tier that each process owns, and what it needs of the others.
- :mod:`.peers`: what a level asks of the processes that work on a tier; a process alone is its own only peer.
- :mod:`.exchange`: how they pass boards to each other, and trade their columns of a table for whole rows.

How a tier's boards are held while it is built:

- :mod:`.state`: where each board lies, and what becomes of a board that is told of a child.
- :mod:`.form`: what a tier asks of the form of its state: :mod:`.words`, 16 bits per board, all in memory;
  :mod:`.cells`, four bits per board in memory and the margins on the disk; and :mod:`.narrow`, for tiers in a narrow
  window, eight or four bits per board and nothing on the disk.
- :mod:`.frontier`: the boards that wait for their predecessors to be told, as a bitmap or as a list.

What is done with them, in order:

- :mod:`.movetables`: what each move does to each half board, for both sides and in both directions.
- :mod:`.captures`: every capture is played once, into finished tiers.
- :mod:`.propagate`: the stages, from the largest margin down. Each level is told by :mod:`.dense` (a bitmap, row by
  row) or by :mod:`.sparse` (a list, board by board).
- :mod:`.transpose`: the finished state becomes the table, in the order of the file.

The checkers of tables (:mod:`databases.verifier` with :mod:`databases.halfmoves`, and :mod:`databases.sweeps`) use
nothing of this package, on purpose: a fault here cannot hide there. What looks alike on both sides stays written twice.
"""
