"""The node's side of sessions: the engine, with all that it needs of the server behind it."""
