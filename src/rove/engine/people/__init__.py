"""People at a session: who drives it, what they do in it, and what the agent asks them to do."""
