"""Ways in. Each derives itself from the registry; none imports another, and none can reach a page."""
