"""Profiles of a page, over the domain Tracing of the DevTools protocol."""
