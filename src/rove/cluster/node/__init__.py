"""What runs on a node: an actor, and the services that it offers to the rove process that started it."""
