"""What acts on a page would send or open, and the page held to it."""
