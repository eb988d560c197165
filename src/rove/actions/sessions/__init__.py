"""Actions on sessions and tabs, and batches of actions."""
