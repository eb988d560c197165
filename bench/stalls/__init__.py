"""How long calls of one session take while a page of another session floods rove, or a server misbehaves."""
