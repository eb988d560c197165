"""Measures rove beside other browser servers; run it with `python -m bench`."""
