"""The frames of a page in Firefox: rove's sandbox in each, and the caller's JavaScript in the page's own realm."""
