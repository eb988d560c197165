"""The set of sessions, as actions see it."""
