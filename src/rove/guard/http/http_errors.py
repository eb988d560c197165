"""The error for bytes that are not valid HTTP."""

from __future__ import annotations


class Malformed(Exception):
    """A message does not follow the HTTP standard, so it is unclear where it ends. The proxy drops its connection."""
