"""The main content of a page: found by scores of its paragraphs, cleaned, and compared with a second extractor."""
