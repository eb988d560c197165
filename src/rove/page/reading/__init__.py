"""Reading a page with its frames: snapshot rows and HTML."""
