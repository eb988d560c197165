"""PDF files: text, tables and pictures of their pages, read by PDFium in a process of its own."""
