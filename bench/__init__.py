"""Measures rove beside its peers; run it with `python -m bench`."""
