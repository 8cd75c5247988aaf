"""What every compiled kernel needs, whatever the game.

:mod:`~solver.kernels.compile`: how kernels are compiled; :mod:`~solver.kernels.intrinsics`: instructions without a name
in numba; :mod:`~solver.kernels.lanes`: words of eight counts; :mod:`~solver.kernels.ranks`: the rank of such a word.

The kernels themselves live with their game (:mod:`solver.oware.kernels`, :mod:`solver.omweso.kernels`), the search's in
:mod:`solver.search`, the tables' in ``databases``.
"""
