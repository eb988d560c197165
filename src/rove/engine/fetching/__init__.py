"""Reading addresses of the web: over HTTP through the session's proxy, and in a page of its browser."""
