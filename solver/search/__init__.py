"""The searcher: one alpha-beta search for both games, that ends in tables where they are at hand.

* :mod:`solver.search.game`: what a game is to the search, and how its kernels are bound at no cost.
* :mod:`solver.search.oware`: Oware as the search plays it.
* :mod:`solver.search.omweso`, :mod:`solver.search.omweso_network`: Omweso, and its evaluation.
* :mod:`solver.search.negamax`: the search below one position; estimates and proven bounds.
* :mod:`solver.search.transposition`, :mod:`solver.search.worker`: the shared memory and a thread's own.
* :mod:`solver.search.searcher`: deepening, windows, limits, threads: the class to use.

Nothing here imports ``databases``: tables are handed in as mapped arrays. docs/search.md tells the whole story.
"""
