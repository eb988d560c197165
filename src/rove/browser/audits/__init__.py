"""Pictures of a page at rest, for comparisons."""
