"""Search: a game's kernels and a set of mapped tables are handed in; nothing here knows either by name."""
