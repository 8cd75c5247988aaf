"""Tests of solver/search, the engine, with either game."""
