"""Append-only files of hash-chained lines: written, read and verified. It does not interpret what the lines say."""
