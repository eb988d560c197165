"""Requests over HTTP: answers, encodings, cookies, redirects, a cache and robots.txt."""
