"""The frames of a page, as any engine has them."""
