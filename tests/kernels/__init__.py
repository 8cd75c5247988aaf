"""Tests of what the kernels of all games share."""
