"""The table file: one HDF5 file per tier and rule set, written once, then only mapped.

docs/format.md is the format for strangers. Read in this order; a module imports only from those above it:

* :mod:`databases.files.faults`: what can be wrong with a file, a class each.
* :mod:`databases.files.games`: which rule sets have tables, and what files ask of one.
* :mod:`databases.files.folder`: where tables lie and which file holds which tier; :mod:`databases.files.lock`, one
  builder per folder; :mod:`databases.files.journal`, what a build took.
* :mod:`databases.files.disk`, :mod:`databases.files.hdf5`: bytes, and HDF5, as tables use them.
* :mod:`databases.files.hashes`, :mod:`databases.files.histograms`: what is said of a quantity's bytes and numbers.
* :mod:`databases.files.header`: what a table says of itself.
* :mod:`databases.files.writer`: a table is written; :mod:`databases.files.table`: it is opened, mapped and checked.
* :mod:`databases.files.tiles`, :mod:`databases.files.coding`, :mod:`databases.files.halves`: half of the boards of a
  tier, in streams; :mod:`databases.files.light`: the other half, from those.
* :mod:`databases.files.archive`: the compressed form, open; :mod:`databases.files.packing`: from one to the other.

No game is known here but in :mod:`databases.files.light`, which plays Oware. What the numbers mean is left to the rule
sets, how they are found to :mod:`databases.builder` and :mod:`databases.omweso`, asking for them to
:mod:`databases.prober`.
"""
