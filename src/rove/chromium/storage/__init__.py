"""Cookies and storage of a page, over the DevTools protocol."""
