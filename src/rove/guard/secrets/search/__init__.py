"""Finding secrets and parts of them in texts: an index of parts, and the readings of a text that it is searched in."""
