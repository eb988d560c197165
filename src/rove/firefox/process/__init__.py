"""Finding, starting and ending Firefox."""
