"""Page text in a wrapper that no page can forge."""
