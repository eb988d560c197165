"""What pages store in a browser: cookies, web storage, databases and caches."""
