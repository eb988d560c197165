"""What is captured of a page: snapshot rows, screenshots, PDF files."""
