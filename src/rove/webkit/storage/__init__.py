"""Cookies of pages."""
