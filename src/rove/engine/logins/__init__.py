"""Logins that last: the state or the profile of a session, and the saved states that actions use."""
