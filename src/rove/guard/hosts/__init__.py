"""Decides which hosts and addresses may be reached."""
