"""What `extract` returns in each of its modes, and how it is read from a tab."""
