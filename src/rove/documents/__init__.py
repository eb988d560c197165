"""Documents that are not web pages: text, tables and pictures of PDF files."""
