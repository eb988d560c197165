"""The Model Context Protocol, with and without an opening handshake."""
