"""Reads PDF files with PDFium. Runs in a process of its own, which `rove.documents.process` starts."""
