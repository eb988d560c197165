"""Readable text: the main content of a page as Markdown, text or HTML. HTML goes in; no browser and no HTTP here."""
