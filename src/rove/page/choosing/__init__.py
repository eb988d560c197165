"""Choosing options in the lists that custom controls open."""
