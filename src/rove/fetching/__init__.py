"""Reading addresses over HTTP: requests, cookies, a cache, kinds of content, and signs that a browser is needed."""
