"""Reading: addresses of the web, as text."""
