"""Actions on a page: load it, read it, capture it, wait for it."""
