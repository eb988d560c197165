"""Input to a page over the DevTools protocol."""
