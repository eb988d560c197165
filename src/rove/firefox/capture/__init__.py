"""Pictures of a page: screenshots, a screencast, PDF files."""
