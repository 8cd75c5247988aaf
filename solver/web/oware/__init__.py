"""The answers about Oware.

* :mod:`solver.web.oware.game`: the game that a request tells: rules, where it began, its moves.
* :mod:`solver.web.oware.answer`: what a position is worth, and each move; best play.
* :mod:`solver.web.oware.moves`: what a move does and what it is worth, as answers show it.
* :mod:`solver.web.oware.order`: the outcome of a move, and the order of moves.
* :mod:`solver.web.oware.search`: searches, as events; the engine's reply.
* :mod:`solver.web.oware.review`: game records, move by move.
"""
