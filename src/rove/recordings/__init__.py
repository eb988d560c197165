"""Recordings: what was done in a session, as a file from which it is done again, or turned into code."""
