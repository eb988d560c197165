"""Capturing a page: snapshot rows, screenshots and PDF files."""
