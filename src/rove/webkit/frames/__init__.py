"""The frames of a page, and rove's script in the page's own world of each."""
