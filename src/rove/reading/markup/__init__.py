"""What is read from the markup of a page: its tree, facts, addresses, hidden parts, next page, and blocks."""
