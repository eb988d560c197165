"""What a browser is to the rest of rove: interfaces, what the engines do alike, and the engines themselves."""
