"""A browser that leaves no traces of automation in pages: docs/stealth.md."""
