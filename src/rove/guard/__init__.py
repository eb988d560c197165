"""Decides what an agent may do and which hosts it may reach. Does not know how actions are performed."""
