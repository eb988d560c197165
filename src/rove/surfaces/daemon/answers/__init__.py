"""What commands answer with: on the screen, as JSON, and in files."""
