"""What every compiled kernel needs, whatever the game: how it is compiled, instructions without a name in numba.

The kernels themselves live with their game (:mod:`solver.oware.kernels`, :mod:`solver.omweso.kernels`), the search's in
:mod:`solver.search`, the tables' in ``databases``.
"""
