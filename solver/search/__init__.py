"""The engine: one alpha-beta search for any game, that ends in tables where they are at hand.

* :mod:`solver.search.game`: what a game is to the search, and how its kernels are bound at no cost.
* :mod:`solver.search.negamax`: the search below one position; estimates and proven bounds.
* :mod:`solver.search.transposition`, :mod:`solver.search.worker`: the shared memory and a thread's own.
* :mod:`solver.search.fortress`: what can be held by going round for ever.
* :mod:`solver.search.searcher`: deepening, windows, threads: the class to use.
* :mod:`solver.search.limits`: when a search ends; loads nothing compiled.

Nothing here knows a game (:mod:`solver.oware.game` and :mod:`solver.omweso.game` do) or imports ``databases``: tables
are handed in as mapped arrays. docs/search.md tells the whole story.
"""
