"""The Model Context Protocol, both eras of it."""
