"""Pictures of a page."""
