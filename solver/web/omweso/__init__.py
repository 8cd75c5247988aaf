"""The answers about Omweso.

* :mod:`solver.web.omweso.game`: the game that a request tells: rules, where it began, its turns.
* :mod:`solver.web.omweso.answer`: the turns of a position, and one turn lap by lap.
* :mod:`solver.web.omweso.search`: searches, as events.
"""
