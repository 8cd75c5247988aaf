"""Builds the tables of a rule set, tier by tier; ``build.py`` reads as the table of contents."""
