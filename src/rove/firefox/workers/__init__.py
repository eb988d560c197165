"""Workers of a page, as far as Firefox tells of them."""
