"""Auditing the accessibility of a page and its frames with axe-core."""
