"""Tests of Omweso: rules, positions, kernels, matches, search, small boards."""
