"""Tests of solver/oware."""
