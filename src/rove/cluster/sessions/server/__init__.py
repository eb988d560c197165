"""The server's side of sessions that run on nodes: what surfaces use in place of those of this process."""
