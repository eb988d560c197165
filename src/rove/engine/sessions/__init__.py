"""Sessions, the browser that they share, and the limits on both."""
