"""`rove recordings` and `rove export`."""
