"""Cookies, and states of a context: cookies and what origins have stored."""
