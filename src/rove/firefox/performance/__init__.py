"""Profiles of pages, by Firefox's own profiler."""
