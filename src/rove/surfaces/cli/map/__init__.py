"""`rove map`."""
