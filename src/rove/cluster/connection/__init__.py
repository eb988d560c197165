"""The connection of a rove process to a Ray cluster, which a child process holds."""
