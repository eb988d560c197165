"""What a browser is to the rest of rove: plain data, what the engines share, and the engines themselves."""
