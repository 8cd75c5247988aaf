"""What a person runs in a checkout; :mod:`scripts.write_cli_docs` is also imported by a test."""
