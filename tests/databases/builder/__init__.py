"""Tests of databases/builder/."""
