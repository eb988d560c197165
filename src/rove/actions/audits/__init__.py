"""Actions that judge a page: its accessibility, its speed, its looks."""
