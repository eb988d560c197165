"""Packages that are installed on request only, and how to install them."""

from __future__ import annotations

# What `rove serve` and its web page import before anything else.
SERVE_PACKAGES = ("starlette", "uvicorn")
INSTALL_SERVE = "in a checkout of rove, pip install '.[serve]'"


def serve_advice() -> str:
    """Return how to install what `rove serve` needs, as a sentence; nothing where it is installed."""
    from importlib.util import find_spec

    if all(map(find_spec, SERVE_PACKAGES)):
        return ""
    return f" That needs rove's extra `serve`: {INSTALL_SERVE}."
