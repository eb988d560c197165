"""Recordings of the steps of a session, from which they are done again."""
