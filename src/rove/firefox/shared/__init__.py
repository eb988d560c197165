"""What the tabs of one context share."""
