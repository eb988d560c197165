"""Signs that an answer over HTTP is not the page that a browser would show."""
