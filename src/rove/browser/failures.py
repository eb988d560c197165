"""Failures of a browser that the engine layer handles, and reports to callers as a `RoveError`."""

from __future__ import annotations


class BrowserError(Exception):
    """The browser refused a command, or no longer answers."""


class StateNotRestored(Exception):
    """A saved state could not be put back; the text says which part of it."""


class PageStuck(Exception):
    """The page keeps another document from loading in its place."""
