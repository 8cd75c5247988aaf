"""Tests of the command line: forms, sentences, exit codes."""
