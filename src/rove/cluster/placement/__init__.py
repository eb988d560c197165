"""Which node a session runs on: placement, the line of those that wait, failover, draining, and their saved states."""
