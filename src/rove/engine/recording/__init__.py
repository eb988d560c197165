"""Recordings of a session: its steps, as files from which they are done again."""
