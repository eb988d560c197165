"""Readable text: the main content of a page as Markdown, text or HTML."""
