"""URL schemes: which a browser opens by itself, and which an agent may be shown."""

from __future__ import annotations

_OPENED = frozenset({"http", "https", "about", "blob", "data", "javascript", "file"})
_EXTENSIONS = frozenset({"chrome-extension", "moz-extension", "safari-web-extension"})
_READABLE = frozenset({"http", "https", "about", "blob", "data", "chrome-error"})


def is_web(url: str) -> bool:
    """Return whether a browser loads the URL itself instead of handing it to another program."""
    return _scheme(url) in _OPENED


def is_readable_scheme(url: str) -> bool:
    """Return whether a page of an attached browser may be shown: no settings, no extensions, no files."""
    return _scheme(url) in _READABLE


def is_extension_page(url: str) -> bool:
    """Return whether a URL is a page, or the worker, of an extension of the browser."""
    return _scheme(url) in _EXTENSIONS


def scheme_refusal(url: str) -> str:
    """Say why a URL that is not of the web is not opened."""
    return f"{url[:200]} would start another program, which rove does not do"


def _scheme(url: str) -> str:
    return url.partition(":")[0].lower()
