"""Failures of a browser that the engine layer handles; a caller is told of them as a `RoveError`."""

from __future__ import annotations


class BrowserError(Exception):
    """The browser refused a command, or no longer answers."""


class PageStuck(Exception):
    """The page does not let another document take its place."""
