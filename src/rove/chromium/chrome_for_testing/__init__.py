"""Fetching Chrome for Testing: where a build is, its download, its archive, and the folder that it is kept in.

Imported only when a browser has to be fetched.
"""
