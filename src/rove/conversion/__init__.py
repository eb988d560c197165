"""Journals, and flows of other tools, as recordings; recordings as code that runs, and as files for other tools."""
