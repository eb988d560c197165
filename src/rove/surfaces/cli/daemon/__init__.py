"""The daemon that runs the commands of one user, and its client."""
