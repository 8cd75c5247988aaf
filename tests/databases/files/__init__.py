"""Tests of databases/."""
