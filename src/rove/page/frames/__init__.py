"""The frames of a page, and rove's script in each of them."""
