"""Tests of the local server (solver/web)."""
