"""What a browser is to the rest of rove: interfaces that every engine implements, and the code that runs in pages."""
