"""Addresses of the web read over HTTP: requests, what is in their answers, and signs that a browser is needed."""
